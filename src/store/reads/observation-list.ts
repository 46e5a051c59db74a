// Lists observations by filter, by full-text search, or as candidates for injection.
import { scopeWord } from "../../core/words.ts";
import { quoted } from "../../core/query.ts";
import type { Db } from "../db/driver.ts";
import { and, anyOf, sql, type Sql } from "../db/sql.ts";
import type { ObservationRow } from "../tables/observations.ts";
import { isNotWrong } from "../tables/wrong-items.ts";
import { copiesOf } from "./copied-turns.ts";
import { isPathOrTail, type Scope } from "./scope.ts";

export interface ObservationFilter extends Scope {
  type?: string | undefined;
  concept?: string | undefined;
  /** A path, or the end of one. */
  file?: string | undefined;
  /** A complete session id. */
  session?: string | undefined;
  isPinned?: boolean;
  /** Includes superseded ones. */
  withSuperseded?: boolean;
}

export interface ObservationEntry extends ObservationRow {
  session_id: string | null;
  agent: string | null;
  /** Null if the observation is for all projects. */
  project: string | null;
  project_key: string | null;
  project_root: string | null;
  successor_title: string | null;
  marked_wrong: number;
  /** How many other sessions have a copy of its turn. */
  copies: number;
}

const ENTRY = sql`SELECT o.*, s.session_id, s.agent, p.name AS project, p.key AS project_key, p.root AS project_root, n.title AS successor_title,
    NOT ${isNotWrong("o")} AS marked_wrong, ${copiesOf("o")} AS copies
  FROM observations o LEFT JOIN sessions s ON s.id = o.session_db_id LEFT JOIN projects p ON p.id = o.project_id
    LEFT JOIN observations n ON n.id = o.superseded_by`;

/** Newest first. */
export function listObservations(db: Db, filter: ObservationFilter, limit: number, offset = 0): ObservationEntry[] {
  const { projectId, ...rest } = filter;
  // Selects ids first, so that SQLite reads only the newest rows. Two queries for a project: each can use an index.
  const newest = (condition: Sql): Sql => sql`SELECT * FROM (SELECT o.id, o.valid_from
    FROM observations o LEFT JOIN sessions s ON s.id = o.session_db_id
    WHERE ${condition} AND ${matches(rest)} ORDER BY o.valid_from DESC, o.id DESC LIMIT ${limit + offset})`;
  const ids =
    projectId === undefined
      ? newest(sql`1`)
      : sql`${newest(sql`o.project_id = ${projectId}`)} UNION ALL ${newest(sql`o.project_id IS NULL`)}`;
  return db.all(sql`${ENTRY}
    WHERE o.id IN (SELECT id FROM (${ids}) ORDER BY valid_from DESC, id DESC LIMIT ${limit} OFFSET ${offset})
    ORDER BY o.valid_from DESC, o.id DESC`);
}

export function findObservation(db: Db, id: number): ObservationEntry | undefined {
  return db.get(sql`${ENTRY} WHERE o.id = ${id}`);
}

/** The observations among `ids` that match the filter, in no order. */
export function filterObservations(db: Db, ids: readonly number[], filter: ObservationFilter): ObservationEntry[] {
  return db.all(sql`${ENTRY} WHERE o.id IN ${anyOf(ids)} AND ${matches(filter)}`);
}

/** The observations this one superseded, newest first. */
export function predecessorsOf(db: Db, id: number): ObservationEntry[] {
  return db.all(sql`${ENTRY} WHERE o.superseded_by = ${id} ORDER BY o.valid_from DESC, o.id DESC`);
}

/** Observations that other producers derived from the same turn. One that was written is no version of a derived one. */
export function otherVersions(db: Db, { session_db_id, prompt_number, producer }: ObservationRow): ObservationEntry[] {
  const written = ["user", "agent"];
  if (session_db_id === null || written.includes(producer)) return [];
  return db.all(sql`${ENTRY} WHERE o.session_db_id = ${session_db_id} AND o.prompt_number IS ${prompt_number}
    AND o.producer <> ${producer} AND o.producer NOT IN ${anyOf(written)} ORDER BY o.id`);
}

/** Best rank first. Factors: 3 for a match in the title, 1.5 for a pinned observation, 0.3 for a superseded one. */
export function matchObservations(
  db: Db,
  match: string,
  filter: ObservationFilter,
  limit: number,
): (ObservationEntry & { score: number })[] {
  const scopes = [filter.projectId, 0].map((id) => `scope:${quoted(scopeWord(id ?? 0))}`).join(" OR ");
  const scoped = filter.projectId === undefined ? match : `(${scopes}) AND (${match})`;
  // The columns of ENTRY are read only for the best rows: some need a query of their own.
  return db.all(sql`WITH hits AS MATERIALIZED (
      SELECT rowid AS id, -bm25(observations_fts, 0, 3, 1, 1) AS score FROM observations_fts WHERE observations_fts MATCH ${scoped}),
    best AS MATERIALIZED (
      SELECT o.id, h.score * CASE WHEN o.superseded_by IS NULL THEN 1 ELSE 0.3 END * CASE o.pinned WHEN 1 THEN 1.5 ELSE 1 END AS score
      FROM hits h JOIN observations o ON o.id = h.id LEFT JOIN sessions s ON s.id = o.session_db_id
      WHERE ${matches({ ...filter, withSuperseded: true })} ORDER BY score DESC, o.valid_from DESC, o.id DESC LIMIT ${limit})
    SELECT e.*, b.score FROM best b JOIN (${ENTRY} WHERE o.id IN (SELECT id FROM best)) e ON e.id = b.id
    ORDER BY b.score DESC, e.valid_from DESC, e.id DESC`);
}

function matches(filter: ObservationFilter): Sql {
  const { projectId, agent, since, before, type, session, concept, file, isPinned, withSuperseded } = filter;
  return and(
    sql`o.is_current = 1`,
    isPinned === true && sql`o.pinned = 1`,
    withSuperseded !== true && sql`o.superseded_by IS NULL`,
    projectId !== undefined && sql`(o.project_id = ${projectId} OR o.project_id IS NULL)`,
    agent !== undefined && sql`s.agent = ${agent}`,
    since !== undefined && sql`o.valid_from >= ${since}`,
    before !== undefined && sql`o.valid_from < ${before}`,
    type !== undefined && sql`o.type = ${type}`,
    session !== undefined && sql`s.session_id = ${session}`,
    concept !== undefined && sql`EXISTS (SELECT 1 FROM json_each(o.concepts) WHERE value = ${concept})`,
    file !== undefined && sql`EXISTS (SELECT 1 FROM json_each(o.files) WHERE ${isPathOrTail(sql`value`, file)})`,
  );
}

/** The columns that recall needs to choose what to inject. Reading whole rows is slower by milliseconds. */
export interface Candidate extends Pick<
  ObservationRow,
  | "id"
  | "session_db_id"
  | "type"
  | "producer"
  | "title"
  | "concepts"
  | "files"
  | "origin"
  | "subject"
  | "pinned"
  | "valid_from"
> {
  git_branch: string | null;
}

/** Observations for all projects are written by users, so there are few. */
const MAX_FOR_ALL_PROJECTS = 20;

/** SQL: observations that hold until they are superseded: decisions, pinned ones, and those that a user wrote. */
const IS_LASTING = sql`(o.type = 'decision' OR o.pinned = 1 OR o.producer = 'user')`;

/** Observations neither superseded nor marked as wrong: those for all projects, then this project's, newest first. */
export function newestCurrent(
  db: Db,
  projectId: number,
  { limit, isLasting = false }: { limit: number; isLasting?: boolean },
): Candidate[] {
  const newest = (condition: Sql, maxRows: number): Candidate[] =>
    db.all(sql`SELECT o.id, o.session_db_id, o.type, o.producer, o.title, o.concepts, o.files, o.origin, o.subject, o.pinned, o.valid_from, s.git_branch
      FROM observations o LEFT JOIN sessions s ON s.id = o.session_db_id
      WHERE o.is_current = 1 AND o.superseded_by IS NULL AND ${isNotWrong("o")} AND ${condition}
        AND ${and(isLasting && IS_LASTING)}
      ORDER BY o.valid_from DESC LIMIT ${maxRows}`);
  return [
    ...newest(sql`o.project_id IS NULL`, MAX_FOR_ALL_PROJECTS),
    ...newest(sql`o.project_id = ${projectId}`, limit),
  ];
}
