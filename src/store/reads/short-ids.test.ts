import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Db } from "../db/driver.ts";
import { sql, type Sql } from "../db/sql.ts";
import { openStore } from "../db/open.ts";
import { sessionsByPrefix } from "./session-list.ts";
import { shortId, shortIds } from "./short-ids.ts";

function storeWith(ids: readonly string[]): Db {
  const db = openStore(join(mkdtempSync(join(tmpdir(), "c-mem-ids-")), "c-mem.db"));
  db.run("INSERT INTO projects (key, name, root, created_at) VALUES ('app', 'app', '/', 1)");
  for (const id of ids)
    db.run(
      "INSERT INTO sessions (session_id, agent, project_id, cwd, started_at, last_at) VALUES (?, 'codex', 1, '/', 1, 1)",
      id,
    );
  return db;
}

const IDS: [id: string, short: string][] = [
  ["0b9d4a52-0000-4000-8000-000000000001", "0b9d4a52"],
  ["agent-a1b2c3d4e5f6", "agent-a1b2c3d4"],
  // Codex ids are UUIDv7, which begin with the time. These sessions began at the same time.
  ["019f0000-1111-7000-8000-000000000001", "019f0000-1111-7000-8000-000000000001"],
  ["019f0000-1111-7000-8000-000000000002", "019f0000-1111-7000-8000-000000000002"],
  ["019f0000-1111-7abc-8000-000000000001", "019f0000-1111-7a"],
  ["019f0000-2222-7000-8000-000000000001", "019f0000-2"],
  ["ses_4af1c0ffee01ffeAbCdEfGhIjKlMnO", "ses_4af1c0ffee01"],
  ["ses_4af1c0ffee02ffeAbCdEfGhIjKlMnO", "ses_4af1c0ffee02"],
  ["editor-session", "editor-session"],
  ["editor-session-2", "editor-session-"],
  ["ses_1", "ses_1"],
  ["короткий-сеанс-1", "короткий-сеанс-1"],
  ["короткий-сеанс-2", "короткий-сеанс-2"],
];

describe("a session's short id", () => {
  const db = storeWith(IDS.map(([id]) => id));
  const short = shortIds(
    db,
    IDS.map(([id]) => id),
  );

  it.each(IDS)("of %j is %j, and finds the session", (id, expected) => {
    expect(short(id)).toBe(expected);
    expect(shortId(db, id)).toBe(expected);
    expect(sessionsByPrefix(db, expected).map((row) => row.session_id)).toEqual([id]);
  });

  it("is the full id if the id was not passed to shortIds", () => {
    expect(short("0b9d4a52-ffff")).toBe("0b9d4a52-ffff");
  });

  it("is computed with one query for all ids, which looks up two neighbours in the index", () => {
    let queries = 0;
    const counted: Db = {
      ...db,
      all: (query: Sql) => {
        queries += 1;
        const plan = db.all<{ detail: string }>(sql`EXPLAIN QUERY PLAN ${query}`).map((row) => row.detail);
        expect(plan.filter((step) => step.startsWith("SEARCH sessions USING COVERING INDEX"))).toHaveLength(2);
        expect(plan.join("\n")).not.toContain("SCAN sessions");
        return db.all(query);
      },
    } as Db;
    shortIds(
      counted,
      IDS.map(([id]) => id),
    );
    expect(queries).toBe(1);
  });
});
