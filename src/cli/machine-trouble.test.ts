import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AppError } from "../core/error.ts";
import { asMachineTrouble } from "./machine-trouble.ts";

describe("asMachineTrouble", () => {
  it.each([
    ["EACCES", "EACCES", "/x may not be read or written (EACCES)."],
    ["EROFS", "EROFS", "/x is on a disk that cannot be written (EROFS)."],
    ["ENOSPC", "disk_full", "/x could not be written: the disk is full (ENOSPC)."],
  ])("says in a sentence what %s means, and what to do", (code, told, message) => {
    const error = asMachineTrouble(Object.assign(new Error("no"), { code, path: "/x" }));
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: told, message, hint: expect.stringContaining("run the command again") });
  });

  it("knows a full disk where the error names no file", () => {
    const error = asMachineTrouble(
      Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }),
    );
    expect(error).toMatchObject({
      code: "disk_full",
      message: "A file could not be written: the disk is full (ENOSPC).",
    });
  });

  it("knows a folder that was deleted under the command", () => {
    const folder = mkdtempSync(join(tmpdir(), "c-mem-gone-"));
    const script = `process.chdir(${JSON.stringify(folder)}); require("fs").rmdirSync(${JSON.stringify(folder)});
      try { process.cwd() } catch ({ code, syscall }) { console.log(JSON.stringify({ code, syscall })) }`;
    const { stdout } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
    expect(asMachineTrouble(JSON.parse(stdout))).toMatchObject({ message: "The folder you are in is gone." });
    rmSync(folder, { recursive: true, force: true });
  });

  it("leaves everything else as it is", () => {
    const known = new AppError("EACCES", "told already");
    expect(asMachineTrouble(known)).toBe(known);
    expect(asMachineTrouble(undefined)).toBeUndefined();
    try {
      readFileSync("/nowhere/at/all");
    } catch (error) {
      expect(asMachineTrouble(error)).toBe(error);
    }
  });
});
