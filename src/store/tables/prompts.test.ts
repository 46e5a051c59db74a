import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../db/open.ts";
import { upsertProject } from "./projects.ts";
import { insertPrompt } from "./prompts.ts";
import { upsertSession } from "./sessions.ts";

interface Told {
  promptId?: string;
  text: string;
  at: number;
}

const T = 1_700_000_000_000;
const asked = { promptId: "a", text: "Go", at: T };
/** Typed within seconds: hooks report it with the id of the turn it was typed in. */
const byHook = { promptId: "a", text: "and this", at: T + 800 };
const handedOver = { promptId: "a", text: "and this", at: T + 780 };
const inItsTurn = { promptId: "b", text: "and this", at: T + 780 };

function rowsOf(told: readonly Told[]): unknown[] {
  const db = openStore(join(mkdtempSync(join(tmpdir(), "c-mem-prompts-")), "c-mem.db"));
  const projectId = upsertProject(db, { key: "k", name: "k", root: "/k" }, 1);
  const { id } = upsertSession(db, { sessionId: "s", agent: "claude-code", projectId, cwd: "/k", at: 1 });
  for (const one of told) insertPrompt(db, { sessionDbId: id, ...one });
  const rows = db.all<{ prompt_id: string | null; text: string }>(
    "SELECT prompt_id, text FROM prompts ORDER BY prompt_number",
  );
  db.close();
  return rows.map(({ prompt_id, text }) => `${prompt_id?.replace(/@\d+/, "@") ?? "-"}: ${text}`);
}

describe("a prompt typed while the agent was at work", () => {
  it.each([
    [
      [asked, byHook, handedOver],
      ["a: Go", "a@: and this"],
    ],
    [
      [asked, handedOver, byHook],
      ["a: Go", "a@: and this"],
    ],
    [
      [byHook, asked, handedOver],
      ["a: Go", "a@: and this"],
    ],
    [
      [asked, byHook, inItsTurn],
      ["a: Go", "b: and this"],
    ],
    [
      [asked, inItsTurn, byHook],
      ["a: Go", "b: and this"],
    ],
    [
      [asked, handedOver, inItsTurn, inItsTurn, byHook, handedOver],
      ["a: Go", "b: and this"],
    ],
  ])("is one row beside the prompt it was typed after (%#)", (told, rows) => {
    expect(rowsOf(told)).toEqual(rows);
  });

  it("is kept apart from others of the same moment", () => {
    const others = ["this", "that", "and this too"].map((text) => ({ ...byHook, text }));
    const rows = ["a: Go", "a@: this", "a@.2: that", "a@.3: and this too"];
    expect(rowsOf([asked, ...others])).toEqual(rows);
    expect(rowsOf([asked, ...others, ...others])).toEqual(rows);
  });

  it("is another prompt when the same text is typed again later", () => {
    expect(rowsOf([asked, byHook, { ...byHook, at: T + 60_000 }])).toEqual(["a: Go", "a@: and this", "a@: and this"]);
  });
});
