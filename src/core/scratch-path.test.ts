import { expect, it } from "vitest";
import { isScratchPath } from "./scratch-path.ts";

it.each([
  "/tmp/x.py",
  "/private/var/folders/zz/T/x.txt",
  "/home/me/.claude/plans/calm-sea.md",
  "/home/me/.claude/projects/-home-me-app/memory/MEMORY.md",
  String.raw`C:\Users\me\.claude\projects\C--app\memory\MEMORY.md`,
  String.raw`c:\Users\me\AppData\Local\Temp\claude\x.txt`,
  "C:/Users/me/AppData/Local/Temp/x.txt",
  "/home/me/.codex/memories/app.md",
  "/home/me/.gemini/tmp/1a2b/plan.md",
  ".claude/agent-memory/reviewer/MEMORY.md",
  "notes/scratchpad/try.ts",
])("%s is scratch", (path) => {
  expect(isScratchPath(path)).toBe(true);
});

it.each([
  "src/memory/derive.ts",
  "tmp/x.ts",
  ".claude/settings.json",
  ".claude/skills/tasks.md",
  ".claude/commands/plan.md",
  "/home/me/other/src/a.ts",
  "src/projects/list.ts",
  "src/agents/.claude-code.ts",
])("%s is part of a project", (path) => {
  expect(isScratchPath(path)).toBe(false);
});
