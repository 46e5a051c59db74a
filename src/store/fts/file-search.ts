// Finds sessions by the files they touched.
import { type PreparedQuery, pathSuffixes } from "../../core/query.ts";
import type { Db } from "../db/driver.ts";
import { and, anyOf, sql, type Sql } from "../db/sql.ts";
import { escapeLike, isWithin } from "../reads/scope.ts";
import type { Hit } from "./fts-index.ts";

/** An edited file is more relevant to a session than one it only read. */
const EDIT_WEIGHT = 4;
const READ_WEIGHT = 2;
const MAX_TOUCHES = 500;
const MAX_WORDS = 6;

export interface FileScope {
  project?: number | undefined;
  /** Limits the touches, not the sessions: a session may last for weeks. */
  since?: number | undefined;
  before?: number | undefined;
  /** Also finds stored paths that end in the query's, with a full scan. One hit per file, not one per session. */
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

/** Sessions that touched a file named in the query. Files that few sessions touched score higher. */
export function fileHits(db: Db, query: PreparedQuery, scope: FileScope): Hit[] {
  const named = query.paths.flatMap((path) => scored(touchesWhere(db, isPath(path, scope), scope), scope));
  if (!scope.isFileSearch || named.length > 0 || query.words.length === 0) return named;
  return scored(touchesWhere(db, hasWords(query.words.slice(0, MAX_WORDS)), scope), scope);
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

function isPath(path: string, { isFileSearch }: FileScope): Sql {
  const isTail = sql`f.path IN ${anyOf(pathSuffixes(path))}`;
  return isFileSearch ? sql`${isTail} OR f.path LIKE ${`%/${escapeLike(path)}`} ESCAPE '\\'` : isTail;
}

/** SQL: whether the path contains all words. */
function hasWords(words: readonly string[]): Sql {
  return and(...words.map((word) => sql`f.path LIKE ${`%${escapeLike(word)}%`} ESCAPE '\\'`));
}

function touchesWhere(db: Db, condition: Sql, { project, isFileSearch, ...span }: FileScope): Touch[] {
  // With max(), SQLite takes the columns outside of aggregates from the row with the maximum: the newest touch.
  return db.all(sql`SELECT coalesce(s.parent_session_db_id, s.id) AS session, t.prompt_number AS promptNumber,
      t.id AS toolUse, f.path, max(f.created_at) AS at, sum(f.kind <> 'read') AS edited
    FROM file_touches f JOIN tool_uses t ON t.id = f.tool_use_db_id JOIN sessions s ON s.id = f.session_db_id
    WHERE (${condition}) AND ${isWithin(sql`f.created_at`, span)}
      AND ${and(project !== undefined && sql`s.project_id = ${project}`)}
    GROUP BY 1, iif(${isFileSearch}, f.path, NULL) ORDER BY at DESC LIMIT ${MAX_TOUCHES}`);
}
