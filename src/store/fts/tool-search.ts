// tool_uses found by words, and what followed them: for questions about errors and commands.
import { spaceOut } from "../../core/words.ts";
import type { Db, Param } from "../db/driver.ts";
import { inputHits } from "./tool-input-search.ts";
import { rarestFirst } from "./query-budget.ts";
import { type LaneScope, workHits } from "./fts-search.ts";
import { outputOf } from "../tables/packed.ts";
import { type Scope, scopeCondition } from "../reads/scope.ts";
import { filteredSessions } from "../reads/session-filter.ts";

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

function selectUse(output: string): string {
  return `SELECT t.id, s.session_id, parent.session_id AS parent_session_id, coalesce(s.parent_session_db_id, s.id) AS main_session_db_id,
    p.name AS project, t.prompt_number, t.name, t.input, ${output} AS output, t.is_error, t.exit_code, t.created_at`;
}
const USE = selectUse(outputOf("t"));
/** Of what passed nobody wants to see the output. */
const USE_WITH_ERROR = selectUse(`CASE t.is_error WHEN 1 THEN ${outputOf("t")} END`);
const JOINS = `JOIN sessions s ON s.id = t.session_db_id JOIN projects p ON p.id = s.project_id
    LEFT JOIN sessions parent ON parent.id = s.parent_session_db_id`;

/** Uses as far as they were looked at. */
export interface UsesFound {
  uses: FoundUse[];
  /** Only what is newer than this was; without it, all. */
  since?: number | undefined;
}

/** The best that any of the words rank: of the rarest, as far as their rows can be afforded. */
export function bestUses(db: Db, words: readonly string[], scope: Scope, limit: number): UsesFound {
  const query = { words: rarestFirst(db, indexWords(words)), pairs: [], phrases: [], paths: [] };
  const { hits, since } = workHits(db, query, laneScope(db, scope));
  const ids = hits.flatMap(({ toolUse }) => toolUse ?? []);
  const within = timeCondition(scope);
  const uses = db.all<FoundUse>(
    `${USE} FROM json_each(?) j CROSS JOIN tool_uses t ON t.id = j.value ${JOINS} WHERE ${within.sql} LIMIT ?`,
    JSON.stringify(ids),
    ...within.params,
    limit,
  );
  return { uses, since };
}

/** Those that have all of the words, as beginnings of words, in what they were given; the newest first, without the output of what passed. */
export function newestUses(db: Db, words: readonly string[], scope: Scope, limit: number): UsesFound {
  const terms = indexWords(words);
  if (terms.length === 0) return { uses: [] };
  const { ids, since } = inputHits(db, terms, laneScope(db, scope));
  const within = timeCondition(scope);
  const uses = db.all<FoundUse>(
    `${USE_WITH_ERROR} FROM tool_uses t ${JOINS} WHERE t.id IN (SELECT value FROM json_each(?)) AND ${within.sql}
     ORDER BY t.created_at DESC, t.id DESC LIMIT ?`,
    JSON.stringify(ids),
    ...within.params,
    limit,
  );
  return { uses, since: latest(since, uses[limit - 1]?.created_at) };
}

/** A session may go on for weeks: of one that fits, not every use does. */
function timeCondition({ since, before }: Scope): { sql: string; params: Param[] } {
  return { sql: "t.created_at >= ? AND t.created_at < ?", params: [since ?? 0, before ?? Number.MAX_SAFE_INTEGER] };
}

function latest(...times: (number | undefined)[]): number | undefined {
  const given = times.filter((time) => time !== undefined);
  return given.length === 0 ? undefined : Math.max(...given);
}

/** Words as the index has them; those without a letter or digit it has not. */
function indexWords(words: readonly string[]): string[] {
  return words.map((word) => spaceOut(word.replaceAll("\0", "")).trim()).filter((word) => /[\p{L}\p{N}]/u.test(word));
}

function laneScope(db: Db, scope: Scope): LaneScope {
  const { projectId: project, since, before } = scope;
  const fitting = filteredSessions(db, scope);
  return {
    ...(project !== undefined && { project }),
    ...(since !== undefined && { since }),
    ...(before !== undefined && { before }),
    ...(fitting !== undefined && { accept: (session: number) => fitting.has(session) }),
  };
}

/** Of so many tool uses, those of the newest sessions, the index is not needed: each is looked at. */
const RECENT_USES = 10_000;
const RECENT_SESSIONS = 1_000;

function recentUses(scope: Scope): { sql: string; params: Param[] } {
  const { sql, params } = scopeCondition(scope);
  return {
    sql: `(SELECT s.id, s.last_at FROM sessions s WHERE ${sql} ORDER BY s.last_at DESC LIMIT ${RECENT_SESSIONS}) r
      CROSS JOIN tool_uses t ON t.session_db_id = r.id LIMIT ${RECENT_USES}`,
    params,
  };
}

/** When the newest session ended that is not, or not wholly, among them. */
function recentUsesSince(db: Db, scope: Scope): number | undefined {
  const { sql, params } = scopeCondition(scope);
  const session = db.get<{ at: number }>(
    `SELECT s.last_at AS at FROM sessions s WHERE ${sql} ORDER BY s.last_at DESC LIMIT 1 OFFSET ${RECENT_SESSIONS}`,
    ...params,
  );
  const recent = recentUses(scope);
  const [last] = db.all<{ at: number; uses: number }>(
    `SELECT min(last_at) AS at, count(*) AS uses FROM (SELECT r.last_at FROM ${recent.sql})`,
    ...recent.params,
  );
  return latest(session?.at, last?.uses === RECENT_USES ? last.at : undefined);
}

/** Recent shell commands that hold a text, wherever in a word it stands: for what the index cannot see. */
export function commandsHolding(db: Db, text: string, scope: Scope, limit: number): UsesFound {
  const recent = recentUses(scope);
  const within = timeCondition(scope);
  const uses = db.all<FoundUse>(
    `${USE_WITH_ERROR} FROM (SELECT t.id, t.name FROM ${recent.sql}) u CROSS JOIN tool_uses t ON t.id = u.id ${JOINS}
     WHERE u.name = 'Bash' AND instr(lower(t.input), ?) > 0 AND ${within.sql} ORDER BY t.created_at DESC LIMIT ?`,
    ...recent.params,
    text.toLowerCase(),
    ...within.params,
    limit,
  );
  return { uses, since: latest(recentUsesSince(db, scope), uses[limit - 1]?.created_at) };
}

/** Recent uses of tools whose names hold all of the words, the newest first. */
export function usesOfTools(db: Db, words: readonly string[], scope: Scope, limit: number): UsesFound {
  const recent = recentUses(scope);
  const within = timeCondition(scope);
  const uses = db.all<FoundUse>(
    `${USE_WITH_ERROR} FROM (SELECT t.id, t.name FROM ${recent.sql}) u CROSS JOIN tool_uses t ON t.id = u.id ${JOINS}
     WHERE u.name <> 'Bash' AND NOT EXISTS (SELECT 1 FROM json_each(?) WHERE instr(lower(u.name), value) = 0) AND ${within.sql}
     ORDER BY t.created_at DESC, t.id DESC LIMIT ?`,
    ...recent.params,
    JSON.stringify(words),
    ...within.params,
    limit,
  );
  return { uses, since: latest(recentUsesSince(db, scope), uses[limit - 1]?.created_at) };
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
