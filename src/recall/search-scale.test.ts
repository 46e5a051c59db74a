import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY_MS } from "../core/time.ts";
import { dayWord, scopeWord } from "../core/words.ts";
import type { Db } from "../store/db/driver.ts";
import { openStore } from "../store/db/open.ts";
import { findUses } from "./history/how.ts";
import { bestUses, newestUses, type ToolUseHits } from "../store/fts/tool-search.ts";
import { transaction } from "../store/db/transaction.ts";
import { findSessions } from "./search/find-sessions.ts";

const SESSIONS = 60;
const USES = 220;
/** The day of the newest session. */
const LAST = 20_000;

/** Session 0 is the newest and is written first, as by a first sync. Each session is a day older than the previous. */
function addSession(db: Db, index: number): void {
  const at = (LAST - index) * DAY_MS + 1;
  const project = index % 10 === 9 ? 2 : 1;
  const { lastId: session } = db.run(
    "INSERT INTO sessions (session_id, agent, project_id, cwd, prompt_count, started_at, last_at) VALUES (?, 'claude-code', ?, '/', 1, ?, ?)",
    `s${index}`,
    project,
    at,
    at,
  );
  for (let use = 0; use < USES; use++) {
    const { lastId: id } = db.run(
      "INSERT INTO tool_uses (session_db_id, prompt_number, tool_use_id, name, input, is_error, created_at) VALUES (?, 1, ?, 'Bash', '{}', 0, ?)",
      session,
      `u${use}`,
      at,
    );
    // All uses contain "build", nearly all "test". One session has both words adjacent, another has a rare word.
    const words = ["make the build", use % 6 > 0 ? "then test it" : "", use === 0 && index === 40 ? "heron" : ""];
    if (index === 25 && use === 1) words.push("build test");
    const scope = `${scopeWord(project)} ${dayWord(at)}`;
    db.run("INSERT INTO tool_uses_fts (rowid, scope, input, output) VALUES (?, ?, ?, '')", id, scope, words.join(" "));
  }
}

describe("words in more rows than can be ranked", () => {
  let db: Db;
  beforeAll(() => {
    db = openStore(join(mkdtempSync(join(tmpdir(), "c-mem-scale-")), "c-mem.db"));
    transaction(db, () => {
      for (const name of ["app", "tool"])
        db.run("INSERT INTO projects (key, name, root, created_at) VALUES (?, ?, '/', 1)", name, name);
      for (let index = 0; index < SESSIONS; index++) addSession(db, index);
    });
  });
  afterAll(() => db.close());

  const find = (text: string, scope: Parameters<typeof findSessions>[2]["scope"] = {}) => {
    const { findings, searched } = findSessions(db, text, { scope, limit: 2 });
    return { sessions: findings.map(({ session }) => session.session_id), work: searched[1] };
  };

  it("find the newest sessions by time, not by id, and report the time searched from", () => {
    const { sessions, work } = find("build");
    expect(sessions).toEqual(["s0", "s1"]);
    expect(work).toEqual({ lane: "work", words: ["build"], since: (LAST - 2) * DAY_MS });
  });

  it("rank adjacent matches above newer ones", () => {
    expect(find("build test").sessions).toEqual(["s25", "s0"]);
    expect(find('"build test"')).toMatchObject({ sessions: ["s25"], work: { words: ["build", "test"] } });
  });

  it("are ignored if the query has a rarer word", () => {
    expect(find("build heron")).toEqual({ sessions: ["s40"], work: { lane: "work", words: ["heron"] } });
  });

  it("are found even if another word has no match", () => {
    expect(find("build pelican").sessions).toEqual(["s0", "s1"]);
  });

  it("are found within a project and a time range", () => {
    expect(find("build", { projectId: 2 }).sessions).toEqual(["s9", "s19"]);
    expect(find("build", { before: (LAST - 30) * DAY_MS }).sessions).toEqual(["s31", "s32"]);
    expect(find("build", { projectId: 1, since: (LAST - 5) * DAY_MS, before: (LAST - 3) * DAY_MS }).sessions).toEqual([
      "s4",
      "s5",
    ]);
  });

  it("are searched in the newest tool uses; with a rarer word, in all", () => {
    const sessions = ({ uses }: ToolUseHits) => [...new Set(uses.map((use) => use.session_id))];
    expect(sessions(newestUses(db, ["build"], {}, 250))).toEqual(["s0", "s1"]);
    expect(sessions(newestUses(db, ["build"], { projectId: 2 }, 250))).toEqual(["s9", "s19"]);
    expect(sessions(newestUses(db, ["build", "her"], {}, 250))).toEqual(["s40"]);
    expect(sessions(newestUses(db, ["heron"], { since: (LAST - 30) * DAY_MS }, 250))).toEqual([]);
    expect(sessions(bestUses(db, ["build"], {}, 250))).toEqual(["s0", "s1"]);
    expect(sessions(bestUses(db, ["build", "heron"], {}, 250))).toEqual(["s40"]);
  });

  it("are counted only in the searched time, which is reported", () => {
    const day = (LAST - 2) * DAY_MS;
    expect(findUses(db, "build", {}, 5).since.commands).toBe(day);
    expect(findUses(db, "build heron", {}, 5).since.commands).toBeUndefined();
    expect(bestUses(db, ["build"], {}, 250).since).toBe(day);
    expect(bestUses(db, ["build", "heron"], {}, 250).since).toBeUndefined();
    expect(newestUses(db, ["build"], {}, 1).since).toBeGreaterThan(day);
    // Tools are searched in the latest 10,000 uses.
    expect(findUses(db, "edit", {}, 5).since.tools).toBe((LAST - 45) * DAY_MS + 1);
    expect(findUses(db, "edit", { projectId: 2 }, 5).since).toEqual({ commands: undefined, tools: undefined });
  });
});
