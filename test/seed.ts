// Fills a store event by event, as hooks and sync do.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyEvent } from "../src/capture/live/apply.ts";
import type { Activity, CapturedEvent, FileTouch } from "../src/core/event.ts";
import type { Db } from "../src/store/db/driver.ts";
import { openStore } from "../src/store/db/open.ts";

export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;
/** 2026-01-05, a Monday. */
export const START = Date.UTC(2026, 0, 5, 9);

export interface Seeded {
  db: Db;
  /** Adds an event, one minute after the previous one unless `extra.at` is set. */
  add(sessionId: string, activity: Activity, extra?: Partial<CapturedEvent>): void;
}

export function seedStore(path?: string, base: Partial<CapturedEvent> = {}): Seeded {
  const db = openStore(path ?? join(mkdtempSync(join(tmpdir(), "c-mem-seed-")), "c-mem.db"));
  let at = START;
  let counter = 0;
  return {
    db,
    add(sessionId, activity, extra = {}) {
      at = extra.at ?? at + MINUTE;
      const event: CapturedEvent = {
        agent: "claude-code",
        sessionId,
        cwd: "/app",
        branch: "main",
        project: { key: "k", name: "app", root: "/app" },
        ...base,
        ...extra,
        activity,
        at,
      };
      applyEvent(db, event, `seed${counter++}`);
    },
  };
}

export const prompt = (text: string): Activity => ({ kind: "prompt", text });
export const ended = (response: string): Activity => ({ kind: "turn-end", response });
export const said = (uuid: string, text: string, thinking?: string): Activity => ({
  kind: "message",
  uuid,
  role: "assistant",
  text,
  ...(thinking !== undefined && { thinking }),
  tokens: { input: 10, output: 5 },
});

export const bash = (command: string, output = "", exitCode = 0): Activity => ({
  kind: "tool-use",
  name: "Bash",
  input: { command },
  output,
  isError: exitCode !== 0,
  exitCode,
  files: [],
});

export const touch = (path: string, kind: FileTouch["kind"] = "edit"): Activity => ({
  kind: "tool-use",
  name: kind === "edit" ? "Edit" : kind === "read" ? "Read" : "Write",
  input: { file_path: `/app/${path}` },
  output: "done",
  isError: false,
  files: [{ path, kind, ...(kind !== "read" && { added: 3, removed: 1 }) }],
});
