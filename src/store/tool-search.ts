// tool_uses found by words, and what followed them: for questions about errors and commands.
import { quoted } from "../core/query.ts";
import { scopeWord, spaceOut } from "../core/words.ts";
import type { Db } from "./driver.ts";
import { outputOf } from "./packed.ts";
import { type Scope, scopeCondition } from "./scope.ts";

export interface FoundUse {
  id: number;
  session_id: string;
  parent_session_id: string | null;
  /** The conversation, also for a subagent's. */
  main_session_db_id: number;
  project: string;
  prompt_number: number;
  name: string;
  input: string;
  output: string | null;
  is_error: number;
  exit_code: number | null;
  created_at: number;
}

const USE = `SELECT t.id, s.session_id, parent.session_id AS parent_session_id, coalesce(s.parent_session_db_id, s.id) AS main_session_db_id,
    p.name AS project, t.prompt_number, t.name, t.input, ${outputOf("t")} AS output, t.is_error, t.exit_code, t.created_at`;
const JOINS = `JOIN sessions s ON s.id = t.session_db_id JOIN projects p ON p.id = s.project_id
    LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id`;

export interface WordQuery {
  words: readonly string[];
  /** All of the words, or any. */
  match: "all" | "any";
  /** The input has the tool's name as well. */
  column: "input" | "output";
  /** Take words as beginnings of words. */
  prefix?: boolean;
}

/** Best match first. */
export function bestUses(db: Db, query: WordQuery, scope: Scope, limit: number): FoundUse[] {
  return findUses(db, query, scope, "tool_uses_fts.rank", limit);
}

export function newestUses(db: Db, query: WordQuery, scope: Scope, limit: number): FoundUse[] {
  return findUses(db, query, scope, "t.created_at DESC", limit);
}

function findUses(db: Db, query: WordQuery, scope: Scope, order: string, limit: number): FoundUse[] {
  const match = matchExpression(query, scope);
  if (match === undefined) return [];
  const { sql, params } = scopeCondition(scope);
  return db.all(
    `${USE} FROM tool_uses_fts JOIN tool_uses t ON t.id = tool_uses_fts.rowid ${JOINS}
     WHERE tool_uses_fts MATCH ? AND ${sql} ORDER BY ${order} LIMIT ?`,
    match,
    ...params,
    limit,
  );
}

/** What a person typed as an FTS5 expression: every word quoted, those without a letter or digit left out. */
function matchExpression({ words, match, column, prefix }: WordQuery, scope: Scope): string | undefined {
  const terms = words
    .map((word) => spaceOut(word.replaceAll("\0", "")))
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map((word) => `${quoted(word)}${prefix ? "*" : ""}`);
  if (terms.length === 0) return undefined;
  const asked = `${column} : (${terms.join(match === "all" ? " AND " : " OR ")})`;
  return scope.projectId === undefined ? asked : `scope : ${quoted(scopeWord(scope.projectId))} AND ${asked}`;
}

/** Shell commands that hold a text, wherever in a word it stands: slower, for what the index cannot see. */
export function commandsHolding(db: Db, text: string, scope: Scope, limit: number): FoundUse[] {
  const { sql, params } = scopeCondition(scope);
  return db.all(
    `${USE} FROM tool_uses t ${JOINS} WHERE ${sql} AND t.name = 'Bash' AND instr(lower(t.input), ?) > 0 ORDER BY t.created_at DESC LIMIT ?`,
    ...params,
    text.toLowerCase(),
    limit,
  );
}

/** What the conversation and its subagents did with this tool after a moment, oldest first. */
export function usesAfter(db: Db, use: FoundUse, limit: number): FoundUse[] {
  return db.all(
    `${USE} FROM tool_uses t ${JOINS}
     WHERE (s.id = ?1 OR s.parent_session_db_id = ?1) AND t.name = ?2 AND (t.created_at > ?3 OR (t.created_at = ?3 AND t.id > ?4))
     ORDER BY t.created_at, t.id LIMIT ?5`,
    use.main_session_db_id,
    use.name,
    use.created_at,
    use.id,
    limit,
  );
}

/** The latest uses of a tool by its name. */
export function usesOfTool(db: Db, name: string, scope: Scope, limit: number): FoundUse[] {
  const { sql, params } = scopeCondition(scope);
  return db.all(
    `${USE} FROM tool_uses t ${JOINS} WHERE ${sql} AND t.name = ? ORDER BY t.created_at DESC LIMIT ?`,
    ...params,
    name,
    limit,
  );
}
