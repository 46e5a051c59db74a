// What is stored of a folder or a file: for taking out what should never have been recorded.
import { isAbsolute, join } from "node:path";
import { type DeletionSet, emptyDeletionSet } from "./deletion-set.ts";
import type { Db } from "../../store/db/driver.ts";

/** Sessions that happened where `covers` says, and uses of files that lie there. */
export function selectByPath(db: Db, covers: (path: string) => boolean): DeletionSet {
  const doomed = emptyDeletionSet();
  const sessions = db.all<{ id: number; cwd: string }>(
    "SELECT id, cwd FROM sessions WHERE parent_session_db_id IS NULL",
  );
  for (const { id, cwd } of sessions) if (covers(cwd)) doomed.sessions.add(id);
  const touches = db.all<{ root: string; path: string }>(
    `SELECT DISTINCT p.root, t.path FROM file_touches t JOIN sessions s ON s.id = t.session_db_id JOIN projects p ON p.id = s.project_id`,
  );
  for (const { root, path } of touches) {
    if (!covers(isAbsolute(path) ? path : join(root, path))) continue;
    const uses = db.all<{ id: number }>(
      `SELECT DISTINCT t.tool_use_db_id AS id FROM file_touches t JOIN sessions s ON s.id = t.session_db_id
       JOIN projects p ON p.id = s.project_id WHERE p.root = ? AND t.path = ?`,
      root,
      path,
    );
    for (const { id } of uses) doomed.toolUses.add(id);
  }
  return doomed;
}
