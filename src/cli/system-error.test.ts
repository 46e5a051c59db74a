import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AppError } from "../core/error.ts";
import { explainSystemError } from "./system-error.ts";

describe("explainSystemError", () => {
  it.each([
    ["EACCES", "EACCES", "/x cannot be read or written (EACCES)."],
    ["EROFS", "EROFS", "/x is on a disk that cannot be written (EROFS)."],
    ["ENOSPC", "disk_full", "/x could not be written: the disk is full (ENOSPC)."],
  ])("gives a message and a hint for %s", (code, expected, message) => {
    const error = explainSystemError(Object.assign(new Error("no"), { code, path: "/x" }));
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: expected, message, hint: expect.stringContaining("run the command again") });
  });

  it("recognises a full disk if the error names no file", () => {
    const error = explainSystemError(
      Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }),
    );
    expect(error).toMatchObject({
      code: "disk_full",
      message: "A file could not be written: the disk is full (ENOSPC).",
    });
  });

  it("recognises a file where a folder is needed", () => {
    try {
      mkdirSync(import.meta.filename, { recursive: true });
    } catch (error) {
      expect(explainSystemError(error)).toMatchObject({
        message: `${import.meta.filename} is a file, not a folder (EEXIST).`,
      });
    }
    expect.assertions(1);
  });

  it("recognises a deleted current folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "c-mem-gone-"));
    const script = `process.chdir(${JSON.stringify(folder)}); require("fs").rmdirSync(${JSON.stringify(folder)});
      try { process.cwd() } catch ({ code, syscall }) { console.log(JSON.stringify({ code, syscall })) }`;
    const { stdout } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
    expect(explainSystemError(JSON.parse(stdout))).toMatchObject({ message: "The current folder no longer exists." });
    rmSync(folder, { recursive: true, force: true });
  });

  it("returns other errors unchanged", () => {
    const known = new AppError("EACCES", "already explained");
    expect(explainSystemError(known)).toBe(known);
    expect(explainSystemError(undefined)).toBeUndefined();
    try {
      readFileSync("/nowhere/at/all");
    } catch (error) {
      expect(explainSystemError(error)).toBe(error);
    }
  });
});
