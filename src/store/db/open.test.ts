import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AppError } from "../../core/error.ts";
import { toStoreError, openStore } from "./open.ts";

it("opening an existing database writes nothing and keeps auto_vacuum", () => {
  const folder = mkdtempSync(join(tmpdir(), "c-mem-open-"));
  const path = join(folder, "c-mem.db");
  openStore(path).close();
  const before = readFileSync(path);
  const db = openStore(path);
  expect(db.get("PRAGMA auto_vacuum")).toEqual({ auto_vacuum: 2 });
  db.close();
  expect(readFileSync(path).equals(before)).toBe(true);
  rmSync(folder, { recursive: true });
});

describe("a database error", () => {
  it.each([
    [{ errcode: 8 }, "store_unwritable"],
    [{ errcode: 13 }, "disk_full"],
    [{ errcode: 11 | (1 << 8) }, "store_damaged"],
    [{ code: "EROFS" }, "store_unwritable"],
    [{ code: "EACCES" }, "store_unwritable"],
    [{ code: "ENOSPC" }, "disk_full"],
  ])("%j becomes an error with code and hint", (trouble, code) => {
    const error = toStoreError(Object.assign(new Error("x"), trouble), "/data/c-mem.db");
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code, hint: expect.any(String) as string });
  });

  it("that is unknown is returned unchanged, with its stack", () => {
    const error = new TypeError("x");
    expect(toStoreError(error, "/data/c-mem.db")).toBe(error);
  });
});
