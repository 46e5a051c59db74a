// Finds tool uses by words, and the tool uses after them, to answer questions about errors and commands.
import { quoted } from "../../core/query.ts";
import { spaceOut } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { anyOf, sql, type Sql } from "../db/sql.ts";
import { isWithin, type Scope, scopeCondition } from "../reads/scope.ts";
import { filteredSessions } from "../reads/session-filter.ts";
import { outputOf, type ToolUseRow } from "../tables/tool-uses.ts";
import { countRows, matching, projectRows, TOOL_USES } from "./fts-index.ts";
import { type FtsScope, searchIndex } from "./fts-search.ts";
import { newestHits } from "./newest-rows.ts";
import { sortByRarity } from "./query-budget.ts";
import { longerWords } from "./vocabulary.ts";

export interface ToolUseEntry extends Omit<ToolUseRow, "duration_ms"> {
  session_id: string;
  parent_session_id: string | null;
  /** The conversation, also if a subagent used the tool. */
  main_session_db_id: number;
  project: string;
}

function selectUse(output: Sql): Sql {
  return sql`SELECT t.id, s.session_id, parent.session_id AS parent_session_id, coalesce(s.parent_session_db_id, s.id) AS main_session_db_id,
    p.name AS project, t.prompt_number, t.name, t.input, ${output} AS output, t.is_error, t.exit_code, t.created_at`;
}
const USE = selectUse(outputOf("t"));
/** Selects outputs only of failed tool uses, and of pipelines, whose exit code says little: others are not shown. */
const USE_WITH_ERROR = selectUse(
  sql`CASE WHEN t.is_error = 1 OR t.exit_code <> 0 OR instr(t.input, '|') > 0 THEN ${outputOf("t")} END`,
);
/** The time to compare with the scope. A session in scope may also have tool uses outside the time span. */
const USED_AT = sql`t.created_at`;
const JOINS = sql`JOIN sessions s ON s.id = t.session_db_id JOIN projects p ON p.id = s.project_id
    LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id`;

export interface ToolUseHits {
  uses: ToolUseEntry[];
  /** Set if only newer tool uses were searched. */
  since?: number | undefined;
}

/** Tool uses with any of the words, best rank first. Searches the rarest words that fit the query budget. */
export function bestUses(db: Db, words: readonly string[], scope: Scope, limit: number): ToolUseHits {
  const query = { words: sortByRarity(db, indexWords(words)), pairs: [], phrases: [], paths: [] };
  const { hits, since } = searchIndex(db, TOOL_USES, query, ftsScope(db, scope));
  const ids = hits.flatMap(({ toolUse }) => toolUse ?? []);
  const uses =
    db.all<ToolUseEntry>(sql`${USE} FROM json_each(${ids}) j CROSS JOIN tool_uses t ON t.id = j.value ${JOINS}
    WHERE ${isWithin(USED_AT, scope)} LIMIT ${limit}`);
  return { uses, since };
}

/** Tool uses whose input has all of the words, or longer words that begin with them. Newest first. */
export function newestUses(db: Db, words: readonly string[], scope: Scope, limit: number): ToolUseHits {
  const terms = indexWords(words);
  if (terms.length === 0) return { uses: [] };
  const { ids, since } = inputHits(db, terms, ftsScope(db, scope));
  const uses = db.all<ToolUseEntry>(sql`${USE_WITH_ERROR} FROM tool_uses t ${JOINS}
    WHERE t.id IN ${anyOf(ids)} AND ${isWithin(USED_AT, scope)}
    ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit}`);
  return { uses, since: latest(since, uses[limit - 1]?.created_at) };
}

const COLUMN = "input : ";
/** Each row is looked up in its table, which takes 10 µs in a large database. */
const MAX_ROWS = 7_000;

/** Unordered ids. If every word is too common: tool uses of the newest days with as many of the words as possible. */
function inputHits(db: Db, words: readonly string[], scope: FtsScope): { ids: number[]; since?: number | undefined } {
  const groups = words.map((word) => beginningWith(db, word));
  const project = scope.project === undefined ? undefined : projectRows(db, TOOL_USES, scope.project);
  if (groups.every((group) => group === undefined)) {
    const query = { ...scope, words: sortByRarity(db, words), pairs: [], phrases: [], column: COLUMN, project };
    const newest = newestHits(db, TOOL_USES, query);
    return { ids: newest.hits.flatMap(({ toolUse }) => toolUse ?? []), since: newest.since };
  }
  const terms = groups.map(
    (group, index) => `${COLUMN}(${(group ?? words.slice(index, index + 1)).map((one) => quoted(one)).join(" OR ")})`,
  );
  const match = [...(project === undefined ? [] : [project.match]), ...terms].join(" AND ");
  const hits = db.all<{ session: number; toolUse: number }>(sql`WITH hits AS MATERIALIZED (
      SELECT rowid AS id, 0 AS score ${matching(TOOL_USES.table, match)} LIMIT ${MAX_ROWS}) ${TOOL_USES.rows}`);
  return { ids: hits.filter(({ session }) => scope.accept?.(session) !== false).map(({ toolUse }) => toolUse) };
}

/** The word and longer words that begin with it, limited to MAX_ROWS rows. Undefined if the word alone has more. */
function beginningWith(db: Db, word: string): string[] | undefined {
  let left = MAX_ROWS;
  const fits = (one: string): boolean => {
    const rows = countRows(db, TOOL_USES, COLUMN + quoted(one), left + 1);
    if (rows > left) return false;
    left -= rows;
    return true;
  };
  if (!fits(word)) return undefined;
  return [word, ...longerWords(db, word.toLowerCase()).filter((one) => one !== word && fits(one))];
}

function latest(...times: (number | undefined)[]): number | undefined {
  const given = times.filter((time) => time !== undefined);
  return given.length === 0 ? undefined : Math.max(...given);
}

/** Words in the form in which they are indexed. Drops words without a letter or digit. */
function indexWords(words: readonly string[]): string[] {
  return words.map((word) => spaceOut(word.replaceAll("\0", "")).trim()).filter((word) => /[\p{L}\p{N}]/u.test(word));
}

function ftsScope(db: Db, scope: Scope): FtsScope {
  const { projectId: project, since, before } = scope;
  const fitting = filteredSessions(db, scope);
  return { project, since, before, accept: fitting && ((session) => fitting.has(session)) };
}

/** Tool uses of the newest sessions that are scanned, without the index. */
const RECENT_USES = 10_000;
const RECENT_SESSIONS = 1_000;

function recentUses(scope: Scope): Sql {
  return sql`(SELECT s.id, s.last_at FROM sessions s WHERE ${scopeCondition(scope)} ORDER BY s.last_at DESC LIMIT ${RECENT_SESSIONS}) r
    CROSS JOIN tool_uses t ON t.session_db_id = r.id LIMIT ${RECENT_USES}`;
}

/** The end of the newest session that was not scanned, or only in part. Undefined if all were scanned. */
function recentUsesSince(db: Db, scope: Scope): number | undefined {
  const sessionAt = db.value<number>(sql`SELECT s.last_at FROM sessions s WHERE ${scopeCondition(scope)}
    ORDER BY s.last_at DESC LIMIT 1 OFFSET ${RECENT_SESSIONS}`);
  const last = db.get<{ at: number; uses: number }>(
    sql`SELECT min(last_at) AS at, count(*) AS uses FROM (SELECT r.last_at FROM ${recentUses(scope)})`,
  );
  return latest(sessionAt, last?.uses === RECENT_USES ? last.at : undefined);
}

/** Recent shell commands that contain the text. Unlike the index, also finds it in the middle of a word. */
export function recentCommandsContaining(db: Db, text: string, scope: Scope, limit: number): ToolUseHits {
  const isCommand = sql`u.name = 'Bash' AND instr(lower(t.input), ${text.toLowerCase()}) > 0`;
  return recentUsesWhere(db, isCommand, sql`t.created_at DESC`, scope, limit);
}

/** Recent uses of tools whose names contain all of the words, newest first. */
export function recentUsesOfTools(db: Db, words: readonly string[], scope: Scope, limit: number): ToolUseHits {
  // Shell commands are listed by command, unless the shell itself is asked for.
  const isNamed = sql`(u.name <> 'Bash' OR ${words.join(" ") === "bash"})
    AND NOT EXISTS (SELECT 1 FROM json_each(${words}) WHERE instr(lower(u.name), value) = 0)`;
  return recentUsesWhere(db, isNamed, sql`t.created_at DESC, t.id DESC`, scope, limit);
}

function recentUsesWhere(db: Db, condition: Sql, order: Sql, scope: Scope, limit: number): ToolUseHits {
  const uses = db.all<ToolUseEntry>(sql`${USE_WITH_ERROR}
    FROM (SELECT t.id, t.name FROM ${recentUses(scope)}) u CROSS JOIN tool_uses t ON t.id = u.id ${JOINS}
    WHERE ${condition} AND ${isWithin(USED_AT, scope)} ORDER BY ${order} LIMIT ${limit}`);
  return { uses, since: latest(recentUsesSince(db, scope), uses[limit - 1]?.created_at) };
}

/** Later uses of the same tool in the conversation and its subagents, oldest first. */
export function usesAfter(db: Db, use: ToolUseEntry, limit: number): ToolUseEntry[] {
  const { main_session_db_id: main, name, created_at: at, id } = use;
  return db.all(sql`${USE} FROM tool_uses t ${JOINS}
    WHERE (s.id = ${main} OR s.parent_session_db_id = ${main}) AND t.name = ${name}
      AND t.created_at >= ${at} AND (t.created_at > ${at} OR t.id > ${id})
    ORDER BY t.created_at, t.id LIMIT ${limit}`);
}
