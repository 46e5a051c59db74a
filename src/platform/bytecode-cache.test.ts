import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

const MODULE = join(import.meta.dirname, "bytecode-cache.ts");

describe("runWithBytecodeCache", () => {
  let home = "";
  let bundle = "";
  let folder = "";

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "c-mem-compiled-"));
    bundle = join(home, "one.cjs");
    folder = join(home, "data", "cache");
    mkdirSync(join(home, "data"));
    writeBundle("aa");
  });

  /** Writes a bundle that has the same length for both words. */
  function writeBundle(word: "aa" | "bb"): void {
    const code = `const { basename } = require("node:path");
      exports.say = function () { return "${word} of " + basename(__filename) + " in " + basename(__dirname); };`;
    writeFileSync(bundle, code);
    // Package managers unpack files with fixed mtimes.
    utimesSync(bundle, 1, 1);
  }

  function run(): string {
    const script = `import { runWithBytecodeCache } from ${JSON.stringify(MODULE)};
      console.log(runWithBytecodeCache(${JSON.stringify(bundle)}, { folder: ${JSON.stringify(folder)}, use: "test" }).say());`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    return stdout + stderr;
  }

  const cacheFile = (): string => join(folder, readdirSync(folder)[0] ?? "");
  const said = (word: string): string => `${word} of one.cjs in ${home.split("/").at(-1)}\n`;

  it("runs a bundle with and without its bytecode", () => {
    expect(run()).toBe(said("aa"));
    expect(readdirSync(folder)).toEqual([`one-test-${process.version}-${process.arch}`]);
    expect(statSync(cacheFile()).mode & 0o777).toBe(0o600);
    expect(run()).toBe(said("aa"));
  });

  it("never runs the bytecode of another bundle of the same length and mtime", () => {
    run();
    writeBundle("bb");
    expect(run()).toBe(said("bb"));
    expect(run()).toBe(said("bb"));
  });

  it("ignores a damaged cache file", () => {
    run();
    writeFileSync(cacheFile(), "");
    expect(run()).toBe(said("aa"));
    writeFileSync(cacheFile(), "x".repeat(3_000));
    expect(run()).toBe(said("aa"));
    expect(statSync(cacheFile()).size).not.toBe(3_000);
  });

  it("writes the cache after each of the first runs, then every ten minutes", () => {
    const isWritten = (): boolean => {
      utimesSync(cacheFile(), new Date(), Date.now() / 1000 - 60);
      const before = statSync(cacheFile()).mtimeMs;
      run();
      return statSync(cacheFile()).mtimeMs !== before;
    };
    run();
    expect([1, 2, 3, 4, 5, 6].map(isWritten)).toEqual([true, true, true, true, false, false]);
    utimesSync(cacheFile(), 1, 1);
    run();
    expect(statSync(cacheFile()).mtimeMs).toBeGreaterThan(1_000);
  });

  it("writes no cache after a failed run", () => {
    writeFileSync(bundle, "exports.say = () => { throw new Error('no'); };");
    run();
    expect(existsSync(folder)).toBe(false);
  });

  it("does not run bytecode with a lost disk block", () => {
    run();
    const bytes = readFileSync(cacheFile());
    expect(bytes.includes(Buffer.alloc(2_048)), "a good cache has no block of zeros").toBe(false);
    writeFileSync(cacheFile(), Buffer.concat([bytes, Buffer.alloc(4096)]).fill(0, 1_000, 5_096));
    expect(run()).toBe(said("aa"));
  });

  it("does not create the data directory", () => {
    folder = join(home, "none", "cache");
    expect(run()).toBe(said("aa"));
    expect(existsSync(join(home, "none"))).toBe(false);
  });
});
