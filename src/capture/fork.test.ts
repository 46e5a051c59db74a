// Tests forks of Claude Code sessions, which begin with a copy of another session's history.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AGENTS } from "../agents/spec.ts";
import { resolvePaths } from "../config/paths.ts";
import { forget } from "../upkeep/erase/forget.ts";
import { emptyDeletionSet } from "../upkeep/erase/deletion-set.ts";
import { openStore } from "../store/db/open.ts";
import { isUnchanged, startSync, syncTranscripts } from "./sync/sync.ts";

const START = Date.parse("2026-01-02T03:04:05.000Z");

function turn(sessionId: string, name: string, minute: number, original?: string): string[] {
  const shared = {
    cwd: "/gone/app",
    sessionId,
    timestamp: new Date(START + minute * 60_000).toISOString(),
    ...(original !== undefined && { forkedFrom: { sessionId: original, messageUuid: "u" } }),
  };
  const content = [{ type: "text", text: `${name} is done` }];
  return [
    { ...shared, type: "user", uuid: `u-${name}`, promptId: `p-${name}`, message: { role: "user", content: name } },
    { ...shared, type: "assistant", uuid: `a-${name}`, message: { id: `m-${name}`, role: "assistant", content } },
  ].map((line) => `${JSON.stringify(line)}\n`);
}

/** "first" continues after "fork" was forked from it, and "again" was forked from "fork". */
const SESSIONS = {
  first: [turn("first", "feed", 1), turn("first", "wash", 2), turn("first", "sell", 9)],
  fork: [turn("fork", "feed", 1, "first"), turn("fork", "wash", 2, "first"), turn("fork", "paint", 3)],
  again: [turn("again", "feed", 1, "fork"), turn("again", "paint", 3, "fork"), turn("again", "hide", 4)],
};
const NAMES = ["feed", "wash", "sell", "paint", "hide"];
type Session = keyof typeof SESSIONS;

const STEPS = fc.oneof(
  fc.constantFrom<Session>("first", "fork", "again").map((lost) => ({ lost })),
  fc.boolean().map((force) => ({ force })),
  fc.record({ forgotten: fc.constantFrom(...NAMES), wholly: fc.boolean() }),
);

describe("forks of forks", () => {
  it("keep all their turns and restore none that were forgotten, in any order of deleting, forgetting and reading", () => {
    fc.assert(
      fc.property(fc.array(STEPS, { maxLength: 8 }), (steps) => {
        const { db, lose, sync, forgetTurn, storedPrompts } = machine();
        const gone = new Set<string>();
        const read = new Set<string>();
        for (const step of [...steps, { force: true }]) {
          const before = storedPrompts();
          if ("lost" in step) lose(step.lost);
          else if ("forgotten" in step) forgetTurn(step.forgotten, step.wholly);
          else for (const name of sync(step.force)) read.add(name);
          for (const name of before) if (!storedPrompts().includes(name)) gone.add(name);
          expect(storedPrompts()).toEqual(NAMES.filter((name) => read.has(name) && !gone.has(name)).sort());
        }
        db.close();
      }),
      { numRuns: 60, examples: [[[{ force: false }, { lost: "fork" }, { forgotten: "paint", wholly: false }]]] },
    );
  });
});

function machine() {
  const root = mkdtempSync(join(tmpdir(), "c-mem-fork-"));
  const env = { HOME: root, CLAUDE_CONFIG_DIR: join(root, "claude") };
  const folder = join(env.CLAUDE_CONFIG_DIR, "projects", "-gone-app");
  mkdirSync(folder, { recursive: true });
  const pathOf = (session: string): string => join(folder, `${session}.jsonl`);
  for (const [session, turns] of Object.entries(SESSIONS)) writeFileSync(pathOf(session), turns.flat().join(""));
  const paths = resolvePaths({ C_MEM_HOME: join(root, "home") });
  const db = openStore(paths.database);
  return {
    db,
    lose: (session: Session) => rmSync(pathOf(session), { force: true }),
    /** Returns the names of the turns in existing transcripts. */
    sync(force: boolean): string[] {
      const context = startSync(db, paths, env, { force });
      const transcripts = AGENTS.flatMap(({ sources }) =>
        sources.flatMap(({ find, reader }) => find(env).map((file) => ({ file, reader }))),
      ).filter(({ file }) => !isUnchanged(file, context));
      for (const _ of syncTranscripts(db, transcripts, context));
      const there = Object.entries(SESSIONS).filter(([session]) => existsSync(pathOf(session)));
      return NAMES.filter((name) => there.some(([, turns]) => turns.flat().join("").includes(`"p-${name}"`)));
    },
    forgetTurn(name: string, wholly: boolean): void {
      const deletion = emptyDeletionSet();
      for (const row of db.all<{ id: number; session: number }>(
        "SELECT id, session_db_id AS session FROM prompts WHERE text = ?",
        name,
      )) {
        if (wholly) deletion.sessions.add(row.session);
        else deletion.prompts.add(row.id);
      }
      forget(db, deletion, START);
    },
    /** DISTINCT: a prompt is stored twice if the session in between was deleted before it was read. */
    storedPrompts: () =>
      db.all<{ text: string }>("SELECT DISTINCT text FROM prompts ORDER BY text").map(({ text }) => text),
  };
}
