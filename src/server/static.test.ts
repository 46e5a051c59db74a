import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { addStatic } from "./static.ts";

function build(): Hono {
  const root = mkdtempSync(join(tmpdir(), "c-mem-static-"));
  const folder = join(root, "viewer");
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "index.html"), "<title>the page</title>");
  writeFileSync(join(folder, "assets", "app-1a2b.js"), "run()");
  writeFileSync(join(root, "secret.json"), "secret");
  const app = new Hono();
  addStatic(app, folder);
  return app;
}

describe("the page's files", () => {
  it("have their content type; hashed names are cached for a year", async () => {
    const response = await build().request("/assets/app-1a2b.js");
    expect(await response.text()).toBe("run()");
    expect(response.headers.get("Content-Type")).toContain("text/javascript");
    expect(response.headers.get("Cache-Control")).toContain("immutable");
  });

  it.each(["/", "/session/abc", "/memory?type=decision"])(
    "answer %s with index.html, which browsers check each time",
    async (path) => {
      const response = await build().request(path);
      expect([response.status, await response.text()]).toEqual([200, "<title>the page</title>"]);
      expect(response.headers.get("Cache-Control")).toBe("no-cache");
    },
  );

  it.each([
    "/../secret.json",
    "/%2e%2e/secret.json",
    "/assets/..%2f..%2fsecret.json",
    "/nothing.js",
    "/assets/../../secret.json",
  ])("do not include files outside of their folder: %s", async (path) => {
    const response = await build().request(path);
    expect(await response.text()).not.toContain("secret");
    expect(response.status).toBe(404);
  });

  it("return 503 if they were not built", async () => {
    const app = new Hono();
    addStatic(app, join(tmpdir(), "nowhere"));
    const response = await app.request("/");
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("/api/docs")]);
  });
});
