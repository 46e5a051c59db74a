import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MIGRATIONS } from "../store/db/migrate.ts";
import { openStore } from "../store/db/open.ts";
import { newestCurrent } from "../store/reads/observation-list.ts";
import { staleSessions } from "../store/tables/stale-turns.ts";
import { deriveSession } from "./derive.ts";

/** The last schema before memory was derived by a classifier. */
const BEFORE = MIGRATIONS.filter(({ id }) => id < 22);

it("memory of an older store is not injected if it was often wrong, and then derived again without what users chose", () => {
  const path = join(mkdtempSync(join(tmpdir(), "c-mem-older-")), "c-mem.db");
  const older = openStore(path, { migrations: BEFORE });
  older.exec(`INSERT INTO projects (key, name, root, created_at) VALUES ('k', 'app', '/app', 1);
    INSERT INTO sessions (session_id, agent, project_id, prompt_count, cwd, started_at, last_at, status)
      VALUES ('s', 'claude-code', 1, 1, '/app', 1, 9, 'completed');
    INSERT INTO prompts (session_db_id, prompt_number, text, response, created_at, ended_at)
      VALUES (1, 1, 'do not push just yet', 'I did not push.', 1, 9);`);
  const insert = (title: string, type: string, more: { pinned?: number; edited_at?: number } = {}) =>
    older.run(
      `INSERT INTO observations (project_id, session_db_id, prompt_number, type, title, narrative, facts, concepts, files,
         evidence, origin, producer, content_hash, valid_from, created_at, pinned, edited_at)
       VALUES (1, 1, 1, ?1, ?2, '', '[]', '[]', '[]', '["p1"]', 'user', 'extractor', ?2, 1, 1, ?3, ?4)`,
      type,
      title,
      more.pinned ?? 0,
      more.edited_at ?? null,
    );
  insert("false decision", "decision");
  insert("pinned decision", "decision", { pinned: 1 });
  insert("edited decision", "decision", { edited_at: 5 });
  insert("used decision", "decision");
  insert("old change", "change");
  older.run(`INSERT INTO injections (session_db_id, surface, item_ids, chars, tokens, cited, created_at)
    VALUES (1, 'session-start', '["o4"]', 1, 1, 1, 1)`);
  older.run("DELETE FROM stale_memory");
  older.close();

  const db = openStore(path);
  const injected = () =>
    newestCurrent(db, 1, { limit: 10 })
      .map(({ title }) => title)
      .toSorted();
  expect(injected()).toEqual(["edited decision", "old change", "pinned decision"]);
  for (const { id } of staleSessions(db)) deriveSession(db, id, 10);
  expect(injected()).toEqual(["edited decision", "pinned decision"]);
  expect(db.all("SELECT id, title FROM observations ORDER BY id")).toEqual([
    { id: 2, title: "pinned decision" },
    { id: 3, title: "edited decision" },
    { id: 4, title: "used decision" },
  ]);
  db.close();
});
