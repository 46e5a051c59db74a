// Serves the page's built files, and index.html for the page's other paths.
import { readFileSync } from "node:fs";
import { extname, join, normalize, sep } from "node:path";
import type { Context, Hono } from "hono";
import { getMimeType } from "hono/utils/mime";
import { statOf } from "../platform/read-file.ts";

export function addStatic(app: Hono, folder: string): void {
  app.get("/*", (http) => serveFile(http, folder) ?? serveIndex(http, folder));
}

function serveFile(http: Context, folder: string): Response | undefined {
  const inside = normalize(http.req.path).replaceAll("\\", "/");
  const path = join(folder, inside);
  const type = getMimeType(path);
  if (type === undefined || !path.startsWith(folder + sep) || !statOf(path)?.isFile()) return undefined;
  // File names in assets/ contain a hash of the content.
  const isHashed = inside.startsWith("/assets/");
  return http.body(readFileSync(path), 200, {
    "Content-Type": type,
    "Cache-Control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
  });
}

function serveIndex(http: Context, folder: string): Response {
  // A path of the page may look like a file (/files/a.ts): visits accept HTML, requests for files do not.
  const isVisit = http.req.header("Accept")?.includes("text/html") === true;
  if (extname(http.req.path) !== "" && !isVisit) return http.text("No such file.", 404);
  const index = join(folder, "index.html");
  if (statOf(index) === undefined) return http.text("The page is not built. The API is at /api/docs\n", 503);
  return http.body(readFileSync(index), 200, {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-cache",
  });
}
