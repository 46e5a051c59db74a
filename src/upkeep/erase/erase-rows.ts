// Takes rows out for good: out of the tables, the indexes, what was noted about how far a transcript was read, and out
// of the bytes of the file.
import { deleteSnapshotsOf } from "../../store/tables/file-snapshots.ts";
import { type Db, isBusy } from "../../store/db/driver.ts";
import type { DeletionSet, DeletionRow } from "./deletion-set.ts";
import { renumberTurns } from "../../store/tables/renumber.ts";
import { markLaterSessions } from "../../store/tables/stale-links.ts";
import { markSessionStale } from "../../store/tables/stale-turns.ts";
import { freeVectorsOf } from "../../store/vectors/vectors.ts";

const INDEXES = ["turns_fts", "tool_uses_fts", "thinking_fts", "observations_fts", "prompts_trigram"] as const;

/** Must run in a transaction. Returns how many rows of each kind went. */
export function eraseRows(
  db: Db,
  doomed: DeletionSet,
  rows: Record<keyof DeletionSet, DeletionRow[]>,
): Record<string, number> {
  const links = count(db, "links");
  const summaries = count(db, "summaries");
  for (const row of rows.prompts) erasePrompt(db, row);
  for (const row of rows.toolUses) eraseToolUse(db, row);
  for (const id of doomed.messages) db.run("DELETE FROM messages WHERE id = ?", id);
  for (const id of doomed.observations) db.run("DELETE FROM observations WHERE id = ?", id);
  // Subagents refer to their parents.
  for (const row of rows.sessions.filter((one) => one.id !== one.session_db_id)) eraseSession(db, row);
  for (const row of rows.sessions.filter((one) => one.id === one.session_db_id)) eraseSession(db, row);
  db.run(
    "UPDATE observations SET superseded_at = NULL, valid_to = NULL WHERE superseded_by IS NULL AND valid_to IS NOT NULL",
  );
  // An older version beside this one gives ids again: what gets one of them must be indexed.
  db.run(
    "UPDATE index_state SET last_id = min(last_id, coalesce((SELECT max(id) FROM tool_uses), 0)) WHERE name = 'tool_uses'",
  );
  db.run(
    `DELETE FROM projects WHERE id NOT IN (SELECT project_id FROM sessions) AND id NOT IN (SELECT project_id FROM ledger WHERE project_id IS NOT NULL)
       AND id NOT IN (SELECT project_id FROM observations WHERE project_id IS NOT NULL)`,
  );
  db.run("INSERT OR REPLACE INTO index_state (name, last_id) VALUES ('unclean', 1)");
  return {
    sessions: doomed.sessions.size,
    prompts: doomed.prompts.size,
    messages: doomed.messages.size,
    tool_uses: doomed.toolUses.size,
    observations: doomed.observations.size,
    summaries: summaries - count(db, "summaries"),
    links: links - count(db, "links"),
  };
}

function count(db: Db, table: string): number {
  return db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0;
}

function erasePrompt(db: Db, { id, session_db_id, prompt_number }: DeletionRow): void {
  db.run("DELETE FROM turns_fts WHERE rowid = ?", id);
  db.run(
    "INSERT INTO prompts_trigram (prompts_trigram, rowid, text) SELECT 'delete', id, text FROM prompts WHERE id = ?",
    id,
  );
  db.run("DELETE FROM prompts WHERE id = ?", id);
  db.run("DELETE FROM jobs WHERE key = 'enrich:' || ?", id);
  for (const table of ["summaries", "commits", "file_snapshots"]) {
    db.run(`DELETE FROM ${table} WHERE session_db_id = ? AND prompt_number = ?`, session_db_id, prompt_number);
  }
}

function eraseToolUse(db: Db, { id, item, session_db_id, at }: DeletionRow): void {
  db.run("DELETE FROM tool_uses_fts WHERE rowid = ?", id);
  deleteSnapshotsOf(db, id);
  db.run("DELETE FROM tool_uses WHERE id = ?", id);
  db.run("DELETE FROM commits WHERE session_db_id = ? AND created_at = ?", session_db_id, at);
  db.run("DELETE FROM links WHERE target_type = 'tool-use' AND target_id = ?", item);
}

function eraseSession(db: Db, { id, item }: DeletionRow): void {
  markLaterSessions(db, id);
  db.run("DELETE FROM sessions WHERE id = ?", id);
  db.run(
    "DELETE FROM jobs WHERE key = 'session:' || ?1 OR substr(key, 1, length(?1) + 6) = 'turn:' || ?1 || ':'",
    item,
  );
  db.run(
    "DELETE FROM links WHERE (source_type = 'session' AND source_id = ?1) OR (target_type = 'session' AND target_id = ?1)",
    item,
  );
  db.run("DELETE FROM sync_state WHERE session_id = ?1 OR 'agent-' || session_id = ?1", item);
}

/**
 * Of a session that goes on without some of its turns or items: numbers without gaps, nothing left that summed up what
 * is gone, everything to be derived and indexed anew.
 */
export function repairSession(db: Db, sessionDbId: number, turns: Iterable<number>): void {
  for (const number of [0, ...turns]) {
    const own = number === 0 ? "" : "AND producer <> 'extractor'";
    db.run(`DELETE FROM summaries WHERE session_db_id = ? AND prompt_number = ? ${own}`, sessionDbId, number);
  }
  // Made anew from what is left, as all that is marked below.
  db.run(
    "DELETE FROM links WHERE source_type = 'session' AND source_id = (SELECT session_id FROM sessions WHERE id = ?)",
    sessionDbId,
  );
  renumberTurns(db, sessionDbId, 0);
  db.run(
    `UPDATE sessions SET prompt_count = (SELECT count(*) FROM prompts WHERE session_db_id = ?1), title = agent_title, subtitle = NULL
     WHERE id = ?1`,
    sessionDbId,
  );
  markSessionStale(db, sessionDbId);
  freeVectorsOf(db, sessionDbId);
  resetReading(db, sessionDbId);
}

/** What a reader held in mind may be what was forgotten. Ids of private prompts stay: they keep others out. */
function resetReading(db: Db, sessionDbId: number): void {
  db.run(
    `UPDATE sync_state SET byte_offset = 0, line = 0, fingerprint = '', state = json_object('version', 0, 'state', json_object(
         'privatePromptIds', json(coalesce(state -> '$.state.privatePromptIds', '[]')),
         'privateThreadIds', json(coalesce(state -> '$.state.privateThreadIds', '[]'))))
     WHERE session_id IN (SELECT session_id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1)
       OR 'agent-' || session_id IN (SELECT session_id FROM sessions WHERE parent_session_db_id = ?1)`,
    sessionDbId,
  );
}

/** Deleted rows stay in the bytes of the file until they are written over: now. */
export function overwriteDeleted(db: Db): void {
  db.exec("PRAGMA secure_delete = ON");
}

/** False for a database that is none of ours. */
export function hasIndexState(db: Db): boolean {
  return db.get("SELECT 1 FROM sqlite_schema WHERE name = 'index_state'") !== undefined;
}

export function isUnclean(db: Db): boolean {
  return db.get("SELECT 1 FROM index_state WHERE name = 'unclean'") !== undefined;
}

/**
 * What is left of rows in the indexes and in free pages goes: a contentless index keeps the words of deleted rows until
 * its segments are merged. Returns whether the write-ahead log could be emptied, which no reader may hold.
 */
export function scrub(db: Db): boolean {
  const deadline = Date.now() + MAX_WAIT_MS;
  const before = db.get<{ timeout: number }>("PRAGMA busy_timeout")?.timeout ?? 0;
  db.exec("PRAGMA busy_timeout = 0");
  try {
    for (const index of INDEXES) {
      patiently(deadline, () => db.run(`INSERT INTO ${index} (${index}) VALUES ('optimize')`));
    }
    // Also for a file from before room could be given back in steps.
    patiently(deadline, () => db.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM"));
    if (!emptyLog(db, deadline)) return false;
    patiently(deadline, () => db.run("DELETE FROM index_state WHERE name = 'unclean'"));
    return emptyLog(db, deadline);
  } finally {
    db.exec(`PRAGMA busy_timeout = ${before}`);
  }
}

/** A worker that writes turn after turn leaves small gaps, which SQLite's own waiting (100 ms at a time) does not find. */
const MAX_WAIT_MS = 10_000;
const POLL_MS = 2;

function patiently(deadline: number, work: () => unknown): void {
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
  while (db.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)")?.busy !== 0) {
    if (Date.now() >= deadline) return false;
    sleep(POLL_MS);
  }
  return true;
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** The tables whose rows the indexes are of. */
const SOURCES: Readonly<Record<(typeof INDEXES)[number], string>> = {
  turns_fts: "prompts",
  tool_uses_fts: "tool_uses",
  thinking_fts: "messages",
  observations_fts: "observations",
  prompts_trigram: "prompts",
};

/** What a search for these words finds: entries of rows that are no longer there, and of others that are. */
export function countPhrase(db: Db, phrase: string): { gone: number; alike: number } {
  const counts = INDEXES.map(
    (index) =>
      db.get<{ gone: number; alike: number }>(
        `SELECT count(*) FILTER (WHERE s.id IS NULL) AS gone, count(s.id) AS alike
         FROM ${index} f LEFT JOIN ${SOURCES[index]} s ON s.id = f.rowid WHERE ${index} MATCH ?`,
        phrase,
      ) ?? { gone: 0, alike: 0 },
  );
  return { gone: sum(counts.map((one) => one.gone)), alike: sum(counts.map((one) => one.alike)) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
