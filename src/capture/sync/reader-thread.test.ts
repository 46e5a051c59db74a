import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { AGENTS } from "../../agents/spec.ts";
import { resolvePaths } from "../../config/paths.ts";
import type { Db } from "../../store/db/driver.ts";
import { readInThread } from "./reader-thread.ts";
import { openStore } from "../../store/db/open.ts";
import { startSync, syncInParallel, syncTranscripts } from "./sync.ts";

const THREAD = new URL("./reader-thread.ts", import.meta.url);
const FILES = 30;

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

/** Some files of a few turns each, one of them larger than a piece. */
function machine(): { env: { HOME: string }; folder: string } {
  const home = mkdtempSync(join(tmpdir(), "c-mem-thread-"));
  homes.push(home);
  const folder = join(home, ".claude", "projects", "-gone-app");
  mkdirSync(folder, { recursive: true });
  for (let file = 0; file < FILES; file++) {
    const turns = file === 3 ? 900 : 3;
    const lines = Array.from({ length: turns }, (_, turn) => turnLines(`s${file}`, turn)).flat();
    writeFileSync(join(folder, `s${file}.jsonl`), `${lines.join("\n")}\n{broken\n`);
  }
  return { env: { HOME: home }, folder };
}

function turnLines(session: string, turn: number): string[] {
  const at = new Date(Date.UTC(2026, 0, 1, 0, turn)).toISOString();
  const line = (value: object) => JSON.stringify({ ...value, sessionId: session, cwd: "/gone/app", timestamp: at });
  const id = `${session}-${turn}`;
  return [
    line({
      type: "user",
      uuid: `u${id}`,
      promptId: `p${id}`,
      message: { content: `Prompt ${id} with ghp_${"a1B2c3".repeat(6)}` },
    }),
    line({
      type: "assistant",
      message: {
        id: `m${id}`,
        content: [{ type: "tool_use", id: `t${id}`, name: "Bash", input: { command: `make ${id}` } }],
      },
    }),
    line({
      type: "user",
      uuid: `r${id}`,
      promptId: `p${id}`,
      message: {
        content: [{ type: "tool_result", tool_use_id: `t${id}`, content: `done ${id} ${"x".repeat(2_000)}` }],
      },
    }),
  ];
}

function openFor(env: { HOME: string }, name: string) {
  const paths = resolvePaths({ ...env, C_MEM_HOME: join(env.HOME, name) });
  const db = openStore(paths.database);
  const transcripts = AGENTS.flatMap(({ sources }) =>
    sources.flatMap(({ find, reader }) => find(env).map((file) => ({ file, reader }))),
  );
  return { db, transcripts, context: startSync(db, paths, env) };
}

const TABLES = ["projects", "sessions", "prompts", "messages", "tool_uses", "sync_state"];

function rows(db: Db): unknown {
  return TABLES.map((table) =>
    db
      .all<Record<string, unknown>>(`SELECT * FROM ${table}`)
      .map((row) => ({ ...row, synced_at: 0, created_at: table === "projects" ? 0 : row["created_at"] })),
  );
}

async function collect<Step>(steps: AsyncIterable<Step>): Promise<Step[]> {
  const all: Step[] = [];
  for await (const step of steps) all.push(step);
  return all;
}

describe("reading in a thread", () => {
  it("gives the same events as reading on the main thread", async () => {
    const { env } = machine();
    const here = openFor(env, "here");
    const there = openFor(env, "there");
    const expected = [...syncTranscripts(here.db, here.transcripts, here.context)];
    const steps = await collect(syncInParallel(there.db, there.transcripts, there.context, THREAD));
    expect(steps).toEqual(expected);
    expect(steps.filter(({ outcome }) => outcome?.malformed.length === 1)).toHaveLength(FILES);
    expect(rows(there.db)).toEqual(rows(here.db));
    here.db.close();
    there.db.close();
  });

  it("calls onWait while it waits, so that other writers do not wait", async () => {
    const { env } = machine();
    const { db, transcripts, context } = openFor(env, "there");
    const about = { known: undefined, isOtherProject: false, isForgotten: false };
    const requests = transcripts.map((transcript) => ({ ...about, transcript })).values();
    let waits = 0;
    const steps = readInThread(requests, context, { thread: THREAD, onWait: () => (waits += 1) });
    for await (const step of steps) expect(step).toHaveProperty("piece");
    expect(waits).toBeGreaterThan(0);
    db.close();
  });

  it("fails with the error of onWait", async () => {
    const { env } = machine();
    const { db, transcripts, context } = openFor(env, "there");
    const about = { known: undefined, isOtherProject: false, isForgotten: false };
    const requests = transcripts.map((transcript) => ({ ...about, transcript })).values();
    const onWait = () => {
      throw new Error("database or disk is full");
    };
    const steps = readInThread(requests, context, { thread: THREAD, onWait });
    await expect(collect(steps)).rejects.toThrow("database or disk is full");
    db.close();
  });

  it("can be stopped at any step, and the next run adds the rest once", async () => {
    const { env } = machine();
    const here = openFor(env, "here");
    for (const _ of syncTranscripts(here.db, here.transcripts, here.context));
    const { db, transcripts, context } = openFor(env, "there");
    for await (const { outcome } of syncInParallel(db, transcripts, context, THREAD)) {
      if (outcome !== undefined) break;
    }
    for await (const _ of syncInParallel(db, transcripts, context, THREAD));
    expect(db.get("SELECT count(*) AS count FROM tool_uses")).toEqual(
      here.db.get("SELECT count(*) AS count FROM tool_uses"),
    );
    db.close();
    here.db.close();
  });

  it.each(["process.exit(1)", "throw new Error('out of memory')"])(
    "continues on the main thread after %s in the thread: only the file being read has failed",
    async (death) => {
      const thread = new URL(`data:text/javascript,${death}`);
      const { env } = machine();
      const { db, transcripts, context } = openFor(env, "there");
      const steps = await collect(syncInParallel(db, transcripts, context, thread));
      expect(steps.filter(({ failed }) => failed !== undefined)).toHaveLength(1);
      expect(steps.filter(({ outcome }) => outcome !== undefined)).toHaveLength(FILES - 1);
      db.close();
    },
  );

  it("skips a file that was deleted, and reports one that cannot be read", async () => {
    const { env, folder } = machine();
    const { db, transcripts, context } = openFor(env, "there");
    const [gone, broken] = [join(folder, "s7.jsonl"), join(folder, "s9.jsonl")];
    for (const path of [gone, broken]) rmSync(path);
    mkdirSync(broken);
    const steps = await collect(syncInParallel(db, transcripts, context, THREAD));
    expect(steps.filter(({ isGone }) => isGone)).toHaveLength(1);
    expect(steps.flatMap(({ failed }) => failed?.path ?? [])).toEqual([broken]);
    expect(steps.filter(({ outcome }) => outcome !== undefined)).toHaveLength(FILES - 2);
    db.close();
  });
});
