import { mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pruneBytecodeCache } from "./prune-bytecode-cache.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

it("deletes files unused for a month", () => {
  const cache = mkdtempSync(join(tmpdir(), "c-mem-cache-"));
  const now = Date.now();
  const names = { "hook-main-new-v22.16.0-x64": 31, "hook-main-new-v24.1.0-x64": 0, "cli-sync-v24.1.0-x64.123": 40 };
  for (const [name, days] of Object.entries(names)) {
    writeFileSync(join(cache, name), "code");
    utimesSync(join(cache, name), new Date(now - days * DAY_MS), new Date(now - days * DAY_MS));
  }
  pruneBytecodeCache(cache, now);
  expect(readdirSync(cache)).toEqual(["hook-main-new-v24.1.0-x64"]);
});

it("deletes month-old files in Node's folders, and folders that become empty", () => {
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
  pruneBytecodeCache(cache, now);
  expect(readdirSync(cache)).toEqual(["v24-x64"]);
  expect(readdirSync(join(cache, "v24-x64"))).toEqual(["b"]);
  pruneBytecodeCache(join(cache, "none"), now);
});
