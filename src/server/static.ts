// The page's own files, as they were built; any path of the page's is its index.
import { readFileSync } from "node:fs";
import { extname, join, normalize, sep } from "node:path";
import type { Context, Hono } from "hono";
import { statOf } from "../platform/read-file.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".map": "application/json",
};

export function addStatic(app: Hono, folder: string): void {
  app.get("/*", (http) => serveFile(http, folder) ?? serveIndex(http, folder));
}

function serveFile(http: Context, folder: string): Response | undefined {
  const inside = normalize(http.req.path).replaceAll("\\", "/");
  const path = join(folder, inside);
  const type = TYPES[extname(path)];
  if (type === undefined || !path.startsWith(folder + sep) || !statOf(path)?.isFile()) return undefined;
  // Files in assets/ have a hash of what they hold in their name.
  const isHashed = inside.startsWith("/assets/");
  return http.body(readFileSync(path), 200, {
    "Content-Type": type,
    "Cache-Control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
  });
}

function serveIndex(http: Context, folder: string): Response {
  // A page's address may end like a file's name; who goes to a page wants HTML, who loads a file takes what it is.
  const isVisit = http.req.header("Accept")?.includes("text/html") === true;
  if (extname(http.req.path) !== "" && !isVisit) return http.text("There is no such file.", 404);
  const index = join(folder, "index.html");
  if (statOf(index) === undefined)
    return http.text("C-Mem runs, but the page was not built with it. The API is here: /api/docs\n", 503);
  return http.body(readFileSync(index), 200, { "Content-Type": TYPES[".html"] ?? "", "Cache-Control": "no-cache" });
}
