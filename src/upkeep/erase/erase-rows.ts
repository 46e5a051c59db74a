// Deletes rows for good: from tables, indexes, the reading state of transcripts and the bytes of the file.
import { type Db, isBusy } from "../../store/db/driver.ts";
import { deleteSnapshotsOf } from "../../store/tables/file-snapshots.ts";
import { deleteObservation, EDITED_BY_USER } from "../../store/tables/observations.ts";
import { deletePrompts, renumberTurns } from "../../store/tables/prompts.ts";
import { unlinkTurn } from "../../store/tables/commits.ts";
import { markLaterLinksStale } from "../../store/tables/stale-links.ts";
import { markSessionStale } from "../../store/tables/stale-turns.ts";
import { deleteToolUses } from "../../store/tables/tool-uses.ts";
import { INDEXES } from "../../store/fts/search-index.ts";
import { freeVectorsOf } from "../../store/vectors/vectors.ts";
import { byKind, type DeletionRow, type DeletionRows, type DeletionSet } from "./deletion-set.ts";
import { and, raw, sql, type Sql } from "../../store/db/sql.ts";

/** Must run in a transaction. Returns how many rows of each kind were deleted. */
export function eraseRows(db: Db, deletion: DeletionSet, rows: DeletionRows): Record<string, number> {
  const [links, summaries] = [count(db, "links"), count(db, "summaries")];
  const idsOf = (kind: keyof DeletionSet): Sql => sql`SELECT value FROM json_each(${[...deletion[kind]]})`;
  // They may repeat any text that the model was shown. A request whose reply is gone is sent again.
  db.run(sql`DELETE FROM model_replies`);
  for (const row of rows.prompts) eraseTurn(db, row);
  deletePrompts(db, idsOf("prompts"));
  for (const row of rows.tool_uses) eraseEffects(db, row);
  deleteToolUses(db, idsOf("tool_uses"));
  for (const table of ["messages", "observations"] as const)
    db.run(sql`DELETE FROM ${raw(table)} WHERE id IN (${idsOf(table)})`);
  // Subagents first: they refer to their parents.
  const isMain = (row: DeletionRow): number => (row.id === row.session_db_id ? 1 : 0);
  for (const row of rows.sessions.toSorted((a, b) => isMain(a) - isMain(b))) eraseSession(db, row);
  db.run(sql`UPDATE observations SET superseded_at = NULL, superseded_producer = NULL, valid_to = NULL
    WHERE superseded_by IS NULL AND valid_to IS NOT NULL`);
  db.run(sql`DELETE FROM projects WHERE id NOT IN (SELECT project_id FROM sessions)
    AND id NOT IN (SELECT project_id FROM ledger WHERE project_id IS NOT NULL)
    AND id NOT IN (SELECT project_id FROM observations WHERE project_id IS NOT NULL)`);
  markUnclean(db);
  return {
    ...byKind((kind) => deletion[kind].size),
    summaries: summaries - count(db, "summaries"),
    links: links - count(db, "links"),
  };
}

function count(db: Db, table: string): number {
  return db.value<number>(sql`SELECT count(*) FROM ${raw(table)}`) ?? 0;
}

/** Deletes a turn's summaries, commits and file snapshots. */
function eraseTurn(db: Db, { session_db_id, prompt_number }: DeletionRow): void {
  for (const table of ["summaries", "commits", "file_snapshots"]) {
    db.run(sql`DELETE FROM ${raw(table)} WHERE session_db_id = ${session_db_id} AND prompt_number = ${prompt_number}`);
  }
}

/** Deletes the snapshots, commits and links that a tool use created. */
function eraseEffects(db: Db, { id, item, session_db_id, prompt_number, at }: DeletionRow): void {
  deleteSnapshotsOf(db, id);
  db.run(sql`DELETE FROM commits WHERE session_db_id = ${session_db_id} AND created_at = ${at}`);
  if (session_db_id !== null) unlinkTurn(db, session_db_id, prompt_number);
  db.run(sql`DELETE FROM links WHERE target_type = 'tool-use' AND target_id = ${item}`);
}

function eraseSession(db: Db, { id, item }: DeletionRow): void {
  markLaterLinksStale(db, id);
  db.run(sql`DELETE FROM sessions WHERE id = ${id}`);
  db.run(sql`DELETE FROM jobs
    WHERE key IN (${`session:${item}`}, ${`enrich:${id}`}, ${`handover:${id}`})
      OR substr(key, 1, length(${item}) + 6) = ${`turn:${item}:`}`);
  db.run(sql`DELETE FROM links
    WHERE (source_type = 'session' AND source_id = ${item}) OR (target_type = 'session' AND target_id = ${item})`);
  db.run(sql`DELETE FROM sync_state WHERE session_id = ${item} OR 'agent-' || session_id = ${item}`);
}

/**
 * For a session that lost some of its turns or items: renumbers the turns, deletes summaries and links that covered the
 * deleted part, and marks the session to be derived and indexed again.
 */
export function repairSession(db: Db, sessionDbId: number, turns: Iterable<number>): void {
  for (const number of [0, ...turns]) {
    db.run(sql`DELETE FROM summaries WHERE session_db_id = ${sessionDbId} AND prompt_number = ${number}
      AND ${and(number !== 0 && sql`producer <> 'extractor'`)}`);
    // A model saw the deleted text, so its notes may repeat it.
    const notes = db.column<number>(sql`SELECT id FROM observations WHERE session_db_id = ${sessionDbId}
      AND prompt_number = ${number} AND producer <> 'extractor' AND is_current = 1 AND NOT ${EDITED_BY_USER}`);
    for (const id of notes) deleteObservation(db, id);
  }
  db.run(sql`DELETE FROM links
    WHERE source_type = 'session' AND source_id = (SELECT session_id FROM sessions WHERE id = ${sessionDbId})`);
  renumberTurns(db, sessionDbId, 0);
  db.run(sql`UPDATE sessions SET prompt_count = (SELECT count(*) FROM prompts WHERE session_db_id = ${sessionDbId}),
      title = agent_title, subtitle = NULL
    WHERE id = ${sessionDbId}`);
  markSessionStale(db, sessionDbId);
  freeVectorsOf(db, sessionDbId);
  resetReading(db, sessionDbId);
}

/** Resets the stored reader state, which may contain deleted text. It keeps the ids of prompts that stay private. */
function resetReading(db: Db, sessionDbId: number): void {
  db.run(sql`UPDATE sync_state SET byte_offset = 0, line = 0, fingerprint = '', state = json_object('version', 0, 'state', json_object(
         'privatePromptIds', json(coalesce(state -> '$.state.privatePromptIds', '[]')),
         'privateThreadIds', json(coalesce(state -> '$.state.privateThreadIds', '[]'))))
     WHERE session_id IN (SELECT session_id FROM sessions WHERE id = ${sessionDbId} OR parent_session_db_id = ${sessionDbId})
       OR 'agent-' || session_id IN (SELECT session_id FROM sessions WHERE parent_session_db_id = ${sessionDbId})`);
}

/** Makes SQLite overwrite the bytes of deleted rows at once. */
export function overwriteDeleted(db: Db): void {
  db.exec("PRAGMA secure_delete = ON");
}

/** Records that `scrub` has to run: indexes, free pages or the log may still contain deleted text. */
export function markUnclean(db: Db): void {
  db.run(sql`INSERT OR REPLACE INTO index_state (name, last_id) VALUES ('unclean', 1)`);
}

/** Also false for a database of another program. */
export function isUnclean(db: Db): boolean {
  return (
    db.has(sql`SELECT 1 FROM sqlite_schema WHERE name = 'index_state'`) &&
    db.has(sql`SELECT 1 FROM index_state WHERE name = 'unclean'`)
  );
}

/**
 * Erases deleted rows from the indexes and free pages: a contentless index keeps the words of deleted rows until its
 * segments are merged. Returns false if a reader kept the write-ahead log from being emptied.
 */
export function scrub(db: Db): boolean {
  const deadline = Date.now() + MAX_WAIT_MS;
  const before = db.value<number>(sql`PRAGMA busy_timeout`) ?? 0;
  db.exec("PRAGMA busy_timeout = 0");
  try {
    for (const { name } of INDEXES)
      retryWhileBusy(deadline, () => db.run(sql`INSERT INTO ${raw(name)} (${raw(name)}) VALUES ('optimize')`));
    // This also changes a file from an early version to incremental vacuum.
    retryWhileBusy(deadline, () => db.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM"));
    if (!emptyLog(db, deadline)) return false;
    retryWhileBusy(deadline, () => db.run(sql`DELETE FROM index_state WHERE name = 'unclean'`));
    return emptyLog(db, deadline);
  } finally {
    db.exec(`PRAGMA busy_timeout = ${before}`);
  }
}

/** How long to wait for other processes. */
const MAX_WAIT_MS = 10_000;
/** SQLite itself polls every 100 ms and would miss the short gaps between a worker's transactions. */
const POLL_MS = 2;

function retryWhileBusy(deadline: number, work: () => unknown): void {
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() >= deadline) throw error;
      sleep(POLL_MS);
    }
  }
}

function emptyLog(db: Db, deadline: number): boolean {
  while (db.value<number>(sql`PRAGMA wal_checkpoint(TRUNCATE)`) !== 0) {
    if (Date.now() >= deadline) return false;
    sleep(POLL_MS);
  }
  return true;
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Counts index entries with this phrase: `gone` for deleted rows, `alike` for existing rows. */
export function countPhrase(db: Db, phrase: string): { gone: number; alike: number } {
  const total = { gone: 0, alike: 0 };
  for (const { name, source } of INDEXES) {
    const counts = db.get<typeof total>(sql`SELECT count(*) FILTER (WHERE s.id IS NULL) AS gone, count(s.id) AS alike
       FROM ${raw(name)} f LEFT JOIN ${raw(source)} s ON s.id = f.rowid WHERE ${raw(name)} MATCH ${phrase}`);
    total.gone += counts?.gone ?? 0;
    total.alike += counts?.alike ?? 0;
  }
  return total;
}
