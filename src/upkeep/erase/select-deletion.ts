// Selects what to forget: by the ids that C-Mem prints, or by path.
import { isAbsolute, join } from "node:path";
import { AppError } from "../../core/error.ts";
import type { Db } from "../../store/db/driver.ts";
import { parseItemId } from "../../store/db/item-ids.ts";
import { sessionsByPrefix } from "../../store/reads/session-list.ts";
import { type DeletionSet, emptyDeletionSet } from "./deletion-set.ts";
import { raw, sql } from "../../store/db/sql.ts";

/** False if the name is not an id or the start of a session's id. Throws if there is no item with this id. */
export function addToDeletion(db: Db, deletion: DeletionSet, name: string): boolean {
  const item = parseItemId(name);
  if (item === undefined) return addSession(db, deletion, name);
  if (!db.has(sql`SELECT 1 FROM ${raw(item.table)} WHERE id = ${item.id}`)) {
    const hint = "`c-mem show` and `c-mem observations` print ids.";
    throw new AppError("nothing_found", `There is no ${name}.`, { hint });
  }
  deletion[item.table].add(item.id);
  return true;
}

/** Six characters with a digit: other texts are more likely words to search for than the start of an id. */
const LIKE_AN_ID = /^(?=.*\d)[\w-]{6,}$/;

function addSession(db: Db, deletion: DeletionSet, name: string): boolean {
  const found = sessionsByPrefix(db, name).filter((one) => one.session_id === name || LIKE_AN_ID.test(name));
  if (found.length > 1) {
    const hint = "Give a few more characters of the id.";
    throw new AppError("usage", `More than one session begins with "${name}".`, { hint });
  }
  for (const { id } of found) deletion.sessions.add(id);
  return found.length === 1;
}

/** Sessions whose folder matches, and tool uses that touched a matching file. */
export function selectByPath(db: Db, covers: (path: string) => boolean): DeletionSet {
  const deletion = emptyDeletionSet();
  const sessions = db.all<{ id: number; cwd: string }>(
    sql`SELECT id, cwd FROM sessions WHERE parent_session_db_id IS NULL`,
  );
  for (const { id, cwd } of sessions) if (covers(cwd)) deletion.sessions.add(id);
  const touches = sql`FROM file_touches t JOIN sessions s ON s.id = t.session_db_id JOIN projects p ON p.id = s.project_id`;
  for (const { root, path } of db.all<{ root: string; path: string }>(sql`SELECT DISTINCT p.root, t.path ${touches}`)) {
    if (!covers(isAbsolute(path) ? path : join(root, path))) continue;
    const uses = sql`SELECT DISTINCT t.tool_use_db_id ${touches} WHERE p.root = ${root} AND t.path = ${path}`;
    for (const id of db.column<number>(uses)) deletion.tool_uses.add(id);
  }
  return deletion;
}
