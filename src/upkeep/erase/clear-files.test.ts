import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { seedStore } from "../../../test/seed.ts";
import { resolvePaths } from "../../config/paths.ts";
import { clearFiles } from "./clear-files.ts";

it("forgetting deletes the conversations with a model, which may be about anything of a session", () => {
  const home = mkdtempSync(join(tmpdir(), "c-mem-clear-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const paths = resolvePaths({ C_MEM_HOME: home });
  mkdirSync(join(paths.conversations, "one"), { recursive: true });
  writeFileSync(join(paths.conversations, "one", "transcript.jsonl"), "What was said");
  clearFiles(seedStore().db, paths, { pieces: ["said"], sessions: [] });
  expect(existsSync(paths.conversations)).toBe(false);
});
