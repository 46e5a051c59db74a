// Observations as people look for them: listed, found by words, described.
import { scopeWord } from "../../core/words.ts";
import { quoted } from "../../core/query.ts";
import type { Db, Param } from "../db/driver.ts";
import type { ObservationRow } from "../tables/observations.ts";
import type { Scope } from "./scope.ts";

export interface ObservationFilter extends Scope {
  type?: string | undefined;
  concept?: string | undefined;
  /** A path, or the end of one. */
  file?: string | undefined;
  /** By its whole id. */
  session?: string | undefined;
  isPinned?: boolean;
  /** Also those that something newer has replaced. */
  withSuperseded?: boolean;
}

export interface ObservationEntry extends ObservationRow {
  session_id: string | null;
  agent: string | null;
  /** Null: it holds for every project. */
  project: string | null;
  project_key: string | null;
  project_root: string | null;
  successor_title: string | null;
}

const ENTRY = `SELECT o.*, s.session_id, s.agent, p.name AS project, p.key AS project_key, p.root AS project_root, n.title AS successor_title
  FROM observations o LEFT JOIN sessions s ON s.id = o.session_db_id LEFT JOIN projects p ON p.id = o.project_id
    LEFT JOIN observations n ON n.id = o.superseded_by`;

/** Newest first. */
export function listObservations(db: Db, filter: ObservationFilter, limit: number, offset = 0): ObservationEntry[] {
  const { projectId, ...rest } = filter;
  const { sql, params } = condition(rest);
  // The project's own and everybody's each in the order of an index, and only as far as needed; described then.
  const newest = (whose: string): string =>
    `SELECT * FROM (SELECT o.id, o.valid_from FROM observations o LEFT JOIN sessions s ON s.id = o.session_db_id
       WHERE ${whose} AND ${sql} ORDER BY o.valid_from DESC, o.id DESC LIMIT ?)`;
  const [parts, values]: [string[], Param[]] =
    projectId === undefined
      ? [[newest("1")], [...params, limit + offset]]
      : [
          [newest("o.project_id = ?"), newest("o.project_id IS NULL")],
          [projectId, ...params, limit + offset, ...params, limit + offset],
        ];
  return db.all(
    `${ENTRY} WHERE o.id IN (SELECT id FROM (${parts.join(" UNION ALL ")}) ORDER BY valid_from DESC, id DESC LIMIT ? OFFSET ?)
     ORDER BY o.valid_from DESC, o.id DESC`,
    ...values,
    limit,
    offset,
  );
}

export function findObservation(db: Db, id: number): ObservationEntry | undefined {
  return db.get(`${ENTRY} WHERE o.id = ?`, id);
}

/** Those of them that fit, in no order. */
export function fittingObservations(db: Db, ids: readonly number[], filter: ObservationFilter): ObservationEntry[] {
  const { sql, params } = condition(filter);
  return db.all(`${ENTRY} WHERE o.id IN (SELECT value FROM json_each(?)) AND ${sql}`, JSON.stringify(ids), ...params);
}

/** What this one took the place of, newest first. */
export function predecessorsOf(db: Db, id: number): ObservationEntry[] {
  return db.all(`${ENTRY} WHERE o.superseded_by = ? ORDER BY o.valid_from DESC, o.id DESC`, id);
}

/** What other producers made of the same turn. */
export function otherVersions(db: Db, row: ObservationRow): ObservationEntry[] {
  if (row.session_db_id === null) return [];
  return db.all(
    `${ENTRY} WHERE o.session_db_id = ? AND o.prompt_number IS ? AND o.producer <> ? ORDER BY o.id`,
    row.session_db_id,
    row.prompt_number,
    row.producer,
  );
}

/** A title says what it is about, the rest how. */
const WEIGHTS = "0, 3, 1, 1";
/** What was replaced is seldom what is looked for, what was pinned often is. */
const SUPERSEDED_WEIGHT = 0.3;
const PINNED_WEIGHT = 1.5;

/** `match` is FTS5's; the best first. */
export function matchObservations(
  db: Db,
  match: string,
  filter: ObservationFilter,
  limit: number,
): (ObservationEntry & { score: number })[] {
  const { sql, params } = condition({ ...filter, withSuperseded: true });
  const scopes = [filter.projectId, 0].map((id) => `scope:${quoted(scopeWord(id ?? 0))}`).join(" OR ");
  return db.all(
    `WITH hits AS MATERIALIZED (
       SELECT rowid AS id, -bm25(observations_fts, ${WEIGHTS}) AS score FROM observations_fts WHERE observations_fts MATCH ?)
     SELECT e.*, h.score * CASE WHEN e.superseded_by IS NULL THEN 1 ELSE ${SUPERSEDED_WEIGHT} END
       * CASE e.pinned WHEN 1 THEN ${PINNED_WEIGHT} ELSE 1 END AS score
     FROM hits h JOIN (${ENTRY} WHERE ${sql}) e ON e.id = h.id ORDER BY score DESC, e.valid_from DESC, e.id DESC LIMIT ?`,
    filter.projectId === undefined ? match : `(${scopes}) AND (${match})`,
    ...params,
    limit,
  );
}

function condition(filter: ObservationFilter): { sql: string; params: Param[] } {
  const ending = filter.file === undefined ? undefined : `%/${filter.file.replace(/[%_\\]/g, "\\$&")}`;
  const parts: [sql: string, params: (Param | undefined)[]][] = [
    ["(o.project_id = ? OR o.project_id IS NULL)", [filter.projectId]],
    ["s.agent = ?", [filter.agent]],
    ["o.valid_from >= ?", [filter.since]],
    ["o.valid_from < ?", [filter.before]],
    ["o.type = ?", [filter.type]],
    ["s.session_id = ?", [filter.session]],
    ["EXISTS (SELECT 1 FROM json_each(o.concepts) WHERE value = ?)", [filter.concept]],
    ["EXISTS (SELECT 1 FROM json_each(o.files) WHERE value = ? OR value LIKE ? ESCAPE '\\')", [filter.file, ending]],
  ];
  const given = parts.filter(([, params]) => params[0] !== undefined);
  const flags = [
    "o.is_current = 1",
    ...(filter.isPinned === true ? ["o.pinned = 1"] : []),
    ...(filter.withSuperseded === true ? [] : ["o.superseded_by IS NULL"]),
  ];
  return {
    sql: [...flags, ...given.map(([sql]) => sql)].join(" AND "),
    params: given.flatMap(([, params]) => params as Param[]),
  };
}
