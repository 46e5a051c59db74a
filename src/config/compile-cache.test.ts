import { mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pruneCompileCache } from "./compile-cache.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

it("takes what is a month old out of the cache, and folders of versions that have nothing else", () => {
  const cache = mkdtempSync(join(tmpdir(), "c-mem-cache-"));
  const now = Date.now();
  const put = (version: string, name: string, days: number) => {
    mkdirSync(join(cache, version), { recursive: true });
    writeFileSync(join(cache, version, name), "code");
    const at = new Date(now - days * DAY_MS);
    utimesSync(join(cache, version, name), at, at);
  };
  put("v22-x64", "a", 31);
  put("v22-x64", "b", 90);
  put("v24-x64", "a", 31);
  put("v24-x64", "b", 29);
  pruneCompileCache(cache, now);
  expect(readdirSync(cache)).toEqual(["v24-x64"]);
  expect(readdirSync(join(cache, "v24-x64"))).toEqual(["b"]);
  pruneCompileCache(join(cache, "none"), now);
});
