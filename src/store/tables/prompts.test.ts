import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../db/open.ts";
import { upsertProject } from "./projects.ts";
import { insertPrompt } from "./prompts.ts";
import { upsertSession } from "./sessions.ts";

interface ReportedPrompt {
  promptId?: string;
  text: string;
  at: number;
}

const T = 1_700_000_000_000;
const before = { promptId: "a", text: "Go", at: T };
/** Typed while the agent works. The hook reports it with the id of the prompt before it. */
const byHook = { promptId: "a", text: "and this", at: T + 800 };
const inTranscript = { promptId: "a", text: "and this", at: T + 780 };
const inOwnTurn = { promptId: "b", text: "and this", at: T + 780 };

function rowsOf(reports: readonly ReportedPrompt[]): unknown[] {
  const db = openStore(join(mkdtempSync(join(tmpdir(), "c-mem-prompts-")), "c-mem.db"));
  const projectId = upsertProject(db, { key: "k", name: "k", root: "/k" }, 1);
  const { id } = upsertSession(db, { sessionId: "s", agent: "claude-code", projectId, cwd: "/k", at: 1 });
  for (const one of reports) insertPrompt(db, { sessionDbId: id, ...one });
  const rows = db.all<{ prompt_id: string | null; text: string }>(
    "SELECT prompt_id, text FROM prompts ORDER BY prompt_number",
  );
  db.close();
  return rows.map(({ prompt_id, text }) => `${prompt_id?.replace(/@\d+/, "@") ?? "-"}: ${text}`);
}

describe("a prompt typed while the agent was working", () => {
  it.each([
    [
      [before, byHook, inTranscript],
      ["a: Go", "a@: and this"],
    ],
    [
      [before, inTranscript, byHook],
      ["a: Go", "a@: and this"],
    ],
    [
      [byHook, before, inTranscript],
      ["a: Go", "a@: and this"],
    ],
    [
      [before, byHook, inOwnTurn],
      ["a: Go", "b: and this"],
    ],
    [
      [before, inOwnTurn, byHook],
      ["a: Go", "b: and this"],
    ],
    [
      [before, inTranscript, inOwnTurn, inOwnTurn, byHook, inTranscript],
      ["a: Go", "b: and this"],
    ],
  ])("is one row, in addition to the prompt before it (%#)", (reports, rows) => {
    expect(rowsOf(reports)).toEqual(rows);
  });

  it("is a separate row from other prompts of the same time", () => {
    const others = ["this", "that", "and this too"].map((text) => ({ ...byHook, text }));
    const rows = ["a: Go", "a@: this", "a@.2: that", "a@.3: and this too"];
    expect(rowsOf([before, ...others])).toEqual(rows);
    expect(rowsOf([before, ...others, ...others])).toEqual(rows);
  });

  it("is a separate row if the same text is typed again later", () => {
    expect(rowsOf([before, byHook, { ...byHook, at: T + 60_000 }])).toEqual(["a: Go", "a@: and this", "a@: and this"]);
  });
});
