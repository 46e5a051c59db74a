import { describe, expect, it } from "vitest";
import { forget } from "../../upkeep/erase/forget.ts";
import { emptyDeletionSet } from "../../upkeep/erase/deletion-set.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { seedStore } from "../../../test/seed.ts";
import { importRows, type ImportRow } from "./import-rows.ts";

const AT = Date.UTC(2026, 0, 1);
const session = (id: number, parent: number | null = null): ImportRow => ({
  table: "sessions",
  row: {
    id,
    session_id: `there-${id}`,
    project_id: 1,
    agent: "claude-code",
    cwd: "/there",
    started_at: AT,
    last_at: AT,
    parent_session_db_id: parent,
  },
});
const project: ImportRow = {
  table: "projects",
  row: { id: 1, key: "there", name: "there", root: "/there", created_at: AT },
};
const OBSERVATION = {
  session_db_id: 1,
  project_id: 1,
  prompt_number: 1,
  type: "decision",
  title: "brass",
  narrative: "only brass",
  facts: "[]",
  concepts: "[]",
  files: "[]",
  evidence: "[]",
  origin: "user",
  producer: "user",
  valid_from: AT,
  created_at: AT,
};
const TOOL_USE = { session_db_id: 1, prompt_number: 1, name: "Bash", input: "{}", is_error: 0, created_at: AT };

describe("rows of another store", () => {
  const FIELDS: [table: "observations" | "tool_uses", column: string, values: unknown[]][] = [
    ["observations", "files", ["null", "[7]", "{}", "not JSON", 5, null]],
    ["observations", "facts", ["[null]", '"a"']],
    ["observations", "concepts", ["5"]],
    ["observations", "valid_from", [-1, 9_007_199_254_740_991, 1.5, "soon"]],
    ["tool_uses", "input", ["not JSON", "{"]],
    ["tool_uses", "created_at", [9_007_199_254_740_991]],
  ];

  it.each(FIELDS)("of %s with an invalid %s are skipped, and the others are imported", (table, column, values) => {
    const { db } = seedStore();
    const odd = values.map((value, index): ImportRow => {
      const row = table === "observations" ? OBSERVATION : TOOL_USE;
      return {
        table,
        row: { ...row, id: index + 1, content_hash: `h${index}`, tool_use_id: `t${index}`, [column]: value },
      };
    });
    const good: ImportRow[] = [
      { table: "tool_uses", row: { ...TOOL_USE, id: 90, tool_use_id: "good" } },
      { table: "observations", row: { ...OBSERVATION, id: 91, content_hash: "good" } },
    ];
    const { added, refused } = importRows(db, [project, session(1), ...odd, ...good]);
    expect({ added, refused }).toEqual({
      added: { projects: 1, sessions: 1, tool_uses: 1, observations: 1 },
      refused: values.length,
    });
    updateSearchIndex(db);
    db.close();
  });

  it("attach a subagent's subagents to the main session, so that forgetting it forgets them", () => {
    const { db } = seedStore();
    importRows(db, [project, session(1), session(2, 1), session(3, 2)]);
    expect(db.all("SELECT session_id, parent_session_db_id AS parent FROM sessions ORDER BY id")).toEqual([
      { session_id: "there-1", parent: null },
      { session_id: "there-2", parent: 1 },
      { session_id: "there-3", parent: 1 },
    ]);
    const deletion = emptyDeletionSet();
    deletion.sessions.add(1);
    expect(forget(db, deletion, AT).removed).toMatchObject({ sessions: 3 });
    db.close();
  });
});
