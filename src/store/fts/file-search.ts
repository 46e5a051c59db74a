// The third place an answer may stand: the touched files.
import { type PreparedQuery, tailsOf } from "../../core/query.ts";
import type { Db } from "../db/driver.ts";
import type { Hit } from "./fts-index.ts";

/** An edit says more about a session than a read. */
const EDIT_WEIGHT = 4;
const READ_WEIGHT = 2;
const MAX_TOUCHES = 500;
const MAX_WORDS = 6;

export interface FileScope {
  project?: number | undefined;
  /** Of a session that goes on for weeks, only what it touched in this time. */
  since?: number | undefined;
  before?: number | undefined;
  /** Also finds the end of a path, which needs a full scan, and returns each file a session touched. */
  isFileSearch: boolean;
}

interface Touch {
  session: number;
  promptNumber: number;
  toolUse: number;
  path: string;
  at: number;
  edited: number;
}

/** Sessions that touched a file the query names, rarer files first. */
export function fileHits(db: Db, query: PreparedQuery, scope: FileScope): Hit[] {
  const named = query.paths.flatMap((path) => scored(touchesOf(db, path, scope), scope));
  if (!scope.isFileSearch || named.length > 0 || query.words.length === 0) return named;
  return scored(touchesHolding(db, query.words.slice(0, MAX_WORDS), scope), scope);
}

function scored(touches: readonly Touch[], { isFileSearch }: FileScope): Hit[] {
  const rarity = Math.log(1 + MAX_TOUCHES / (touches.length + 0.5)) / 2;
  return touches.map(({ session, promptNumber, toolUse, path, at, edited }) => ({
    session,
    promptNumber,
    ...(isFileSearch && { toolUse, file: { path, promptNumber, toolUse, at } }),
    score: rarity * (edited ? EDIT_WEIGHT : READ_WEIGHT),
  }));
}

function touchesOf(db: Db, path: string, scope: FileScope): Touch[] {
  const ending = scope.isFileSearch ? "OR f.path LIKE ? ESCAPE '\\'" : "";
  const params = [JSON.stringify(tailsOf(path)), ...(scope.isFileSearch ? [`%/${escaped(path)}`] : [])];
  return touchesWhere(db, `f.path IN (SELECT value FROM json_each(?)) ${ending}`, params, scope);
}

/** Files whose paths have all of the words somewhere in them. */
function touchesHolding(db: Db, words: readonly string[], scope: FileScope): Touch[] {
  const condition = words.map(() => "f.path LIKE ? ESCAPE '\\'").join(" AND ");
  const params = words.map((word) => `%${escaped(word)}%`);
  return touchesWhere(db, condition, params, scope);
}

function escaped(text: string): string {
  return text.replace(/[%_\\]/g, "\\$&");
}

function touchesWhere(
  db: Db,
  condition: string,
  params: readonly string[],
  { project, since = 0, before = Number.MAX_SAFE_INTEGER, isFileSearch }: FileScope,
): Touch[] {
  // The bare columns are those of the newest touch, by SQLite's rule for max().
  return db.all<Touch>(
    `SELECT coalesce(s.parent_session_db_id, s.id) AS session, t.prompt_number AS promptNumber, t.id AS toolUse, f.path, max(f.created_at) AS at, sum(f.kind <> 'read') AS edited
     FROM file_touches f JOIN tool_uses t ON t.id = f.tool_use_db_id JOIN sessions s ON s.id = f.session_db_id
     WHERE (${condition}) AND f.created_at >= ? AND f.created_at < ? ${project === undefined ? "" : "AND s.project_id = ?"}
     GROUP BY 1, iif(?, f.path, NULL) ORDER BY at DESC LIMIT ${MAX_TOUCHES}`,
    ...params,
    since,
    before,
    ...(project === undefined ? [] : [project]),
    Number(isFileSearch),
  );
}
