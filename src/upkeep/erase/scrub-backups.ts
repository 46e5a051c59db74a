// Forgets what was forgotten before: in databases that still have it, because they are copies from an earlier time.
import { join } from "node:path";
import { isForgottenPrompt, isForgottenSession, hasForgottenParts } from "../../store/tables/tombstone-checks.ts";
import type { Paths } from "../../config/paths.ts";
import { listFolder, statOf } from "../../platform/read-file.ts";
import { listBackups, removeUnfinished } from "../../store/db/backup.ts";
import { removeDatabase, SUFFIXES } from "../../store/db/database-files.ts";
import { type DeletionSet, emptyDeletionSet, readDeletionRows } from "./deletion-set.ts";
import { type Db, openDriver } from "../../store/db/driver.ts";
import { overwriteDeleted, scrub } from "./erase-rows.ts";
import { itemsHolding, placesHolding } from "./rows-containing.ts";
import { migrate } from "../../store/db/migrate.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { namesOf, responsesOf, rowsWithText, type Told } from "./derived-text.ts";
import {
  allTombstones,
  deleteTombstone,
  insertTombstone,
  hasTombstone,
  type Tombstone,
  tombstoneOf,
} from "../../store/tables/tombstones.ts";
import { transaction } from "../../store/db/transaction.ts";
import { addToDeletion } from "./select-deletion.ts";
import { type Beside, forget, tombstonesOf, type Words } from "./forget.ts";
import { piecesIn } from "./verify-erased.ts";

export interface ClearedCopies {
  /** Backups that had it, and are kept without it. */
  cleaned: string[];
  /** Backups that did not have it. */
  without: string[];
  /** Backups that it could not be taken out of, and that are gone. */
  removed: string[];
  /** Of what only backups still had: it does not come back with an export from then, either. */
  tombstones: Tombstone[];
}

export interface Traces {
  pieces: readonly string[];
  /** Ids of the sessions it was said in. */
  sessions: readonly string[];
  words?: Words | undefined;
}

/** Takes what the tombstones of this database name out of every backup and of what was set aside. */
export function clearCopies(db: Db, paths: Paths, traces: Traces): ClearedCopies {
  const cleared: ClearedCopies = { cleaned: [], without: [], removed: [], tombstones: [] };
  // A backup that is just being made has it, too.
  removeUnfinished(paths.database, Infinity);
  for (const path of copiesOf(paths)) {
    const gone = clearCopy(db, path, traces);
    cleared.tombstones.push(...bury(db, gone?.tombstones ?? []));
    if (gone !== undefined) cleared[gone.rows > 0 ? "cleaned" : "without"].push(path);
    // What cannot be taken out goes with all around it: a person wants it gone.
    else if (mayHold(path, traces)) {
      removeDatabase(path);
      cleared.removed.push(path);
    }
  }
  return cleared;
}

/** Returns those that were not known. Not of what is here with other words: a person or an audit has seen to it. */
function bury(db: Db, tombstones: readonly Tombstone[]): Tombstone[] {
  return transaction(db, () => {
    const added = tombstones.filter((one) => insertTombstone(db, one, Date.now()));
    const spared = new Set(added.length === 0 ? [] : gravesOf(db, findBuried(db)).map(({ hash }) => hash));
    for (const { kind, hash } of added) if (spared.has(hash)) deleteTombstone(db, kind, hash);
    return added.filter(({ hash }) => !spared.has(hash));
  });
}

function gravesOf(db: Db, { doomed, told }: Buried): Tombstone[] {
  const rows = readDeletionRows(db, doomed);
  const texts = [...responsesOf(db, told.responses), ...namesOf(db, told.sessions)];
  return [
    ...rows.sessions.map(({ item }) => tombstoneOf("session", item)),
    ...[...rows.prompts, ...rows.messages, ...rows.toolUses].flatMap(tombstonesOf),
    ...rows.observations.map(({ key }): Tombstone => ({ kind: "observation", hash: key ?? "" })),
    ...texts.map((one) => tombstoneOf("text", one.session_id, one.text)),
  ];
}

/** Backups and what was set aside keep for a while what a purge took out: whether any of them holds the words. */
export function isInCopies(db: Db, paths: Paths, words: Words): boolean {
  return copiesOf(paths).some((path) => {
    try {
      const copy = openDriver(path, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
      try {
        const { text, projectId } = wordsIn(db, copy, words);
        return itemsHolding(copy, text, projectId).length > 0;
      } finally {
        copy.close();
      }
    } catch {
      // Damaged, or of another version: its bytes can be asked.
      return piecesIn(path, [words.text]).length > 0;
    }
  });
}

/** What was set aside by a restore may be another machine's: there a project has another number. */
function wordsIn(db: Db, copy: Db, words: Words): Words {
  if (words.projectId === undefined) return words;
  const key = db.get<{ key: string }>("SELECT key FROM projects WHERE id = ?", words.projectId)?.key ?? "";
  const there = copy.get<{ id: number }>("SELECT id FROM projects WHERE key = ?", key)?.id;
  return { ...words, projectId: there ?? NO_PROJECT };
}

const NO_PROJECT = 0;

/** What is in a database although a tombstone of its own says that it was forgotten, goes. Returns how many rows went. */
export function deleteForgotten(db: Db, now: number): number {
  return forgetHere(db, now).rows;
}

interface Gone {
  rows: number;
  tombstones: Tombstone[];
}

function forgetHere(db: Db, now: number, words?: Words): Gone {
  const { doomed, told: buried } = findBuried(db);
  const told = withoutStanding(db, doomed, buried);
  const said = words === undefined ? [] : itemsHolding(db, words.text, words.projectId);
  for (const item of said) addToDeletion(db, doomed, item);
  const isThere = [...Object.values(doomed), told.responses, told.sessions].some((ids) => [...ids].length > 0);
  if (!isThere && words === undefined) return { rows: 0, tombstones: [] };
  overwriteDeleted(db);
  const { removed, tombstones } = forget(db, doomed, now, { words, told });
  updateSearchIndex(db);
  scrub(db);
  return { rows: Object.values(removed).reduce((sum, count) => sum + count, 0), tombstones };
}

/** Without what a turn that is left says in the same words: of many that end with "Done." only one was forgotten. */
function withoutStanding(db: Db, doomed: DeletionSet, { responses, sessions }: Beside): Beside {
  const stands = (one: Told): boolean => {
    const { prompts, messages } = rowsWithText(db, one);
    return prompts.some((id) => !doomed.prompts.has(id)) || messages.some((id) => !doomed.messages.has(id));
  };
  const isGone = (one: Told): boolean => isToldAgain(db, one) && !stands(one);
  return {
    responses: responses.filter((id) => responsesOf(db, [id]).some(isGone)),
    sessions: sessions.filter((id) => namesOf(db, [id]).some(isGone)),
  };
}

const BUSY_TIMEOUT_MS = 5_000;

function copiesOf({ database, setAside }: Paths): string[] {
  const aside = listFolder(setAside).map((folder) => join(setAside, folder, "c-mem.db"));
  return [...listBackups(database).map(({ path }) => path), ...aside.filter((path) => statOf(path) !== undefined)];
}

/** Undefined where that cannot be done: it is damaged, or of a newer version. */
function clearCopy(from: Db, path: string, { pieces, words }: Traces): Gone | undefined {
  try {
    const copy = openDriver(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      // Rather changed than gone: a copy from before a migration is the only one of its time.
      migrate(copy);
      const now = Date.now();
      transaction(copy, () => {
        for (const tombstone of allTombstones(from)) insertTombstone(copy, tombstone, now);
      });
      const gone = forgetHere(copy, now, words && wordsIn(from, copy, words));
      const left = SUFFIXES.flatMap((suffix) => piecesIn(path + suffix, pieces));
      return left.every((piece) => placesHolding(copy, [piece]).length > 0) ? gone : undefined;
    } finally {
      copy.close();
    }
  } catch {
    return undefined;
  }
}

/** Where nothing tells whether it is in there, it may be. */
function mayHold(path: string, { pieces, sessions }: Traces): boolean {
  const signs = [...pieces, ...sessions];
  return signs.length === 0 || SUFFIXES.some((suffix) => piecesIn(path + suffix, signs).length > 0);
}

interface Row {
  id: number;
  session_id: string;
  key: string | null;
  text: string;
  at: number;
}

interface Buried {
  doomed: DeletionSet;
  told: Beside;
}

function findBuried(db: Db): Buried {
  const doomed = emptyDeletionSet();
  const sessions = db.all<{ id: number; session_id: string }>("SELECT id, session_id FROM sessions");
  for (const { id, session_id } of sessions) if (isForgottenSession(db, session_id)) doomed.sessions.add(id);
  const touched = sessions.filter(
    ({ id, session_id }) => !doomed.sessions.has(id) && hasForgottenParts(db, session_id),
  );
  for (const { id } of touched) {
    for (const row of rowsOf(db, "prompts", "prompt_id", "text", id)) {
      const prompt = { promptId: row.key ?? undefined, text: row.text };
      if (isForgottenPrompt(db, row.session_id, prompt, row.at)) doomed.prompts.add(row.id);
    }
    for (const row of rowsOf(db, "messages", "uuid", "''", id)) {
      if (hasTombstone(db, tombstoneOf("message", row.session_id, row.key ?? ""))) doomed.messages.add(row.id);
    }
    for (const row of rowsOf(db, "tool_uses", "tool_use_id", "''", id)) {
      if (hasTombstone(db, tombstoneOf("tool-use", row.session_id, row.key ?? ""))) doomed.toolUses.add(row.id);
    }
  }
  for (const { id } of buriedObservations(db)) doomed.observations.add(id);
  const told: Beside = {
    responses: touched
      .flatMap(({ id }) => rowsOf(db, "prompts", "prompt_id", "''", id))
      .map(({ id }) => id)
      .filter((id) => responsesOf(db, [id]).some((one) => isToldAgain(db, one))),
    sessions: touched
      .flatMap(({ id }) => familyOf(db, id))
      .filter((sessionId) => namesOf(db, [sessionId]).some((one) => isToldAgain(db, one))),
  };
  return { doomed, told };
}

function isToldAgain(db: Db, { session_id, text }: Told): boolean {
  return hasTombstone(db, tombstoneOf("text", session_id, text));
}

function familyOf(db: Db, sessionDbId: number): string[] {
  const sql = "SELECT session_id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1";
  return db.all<{ session_id: string }>(sql, sessionDbId).map((row) => row.session_id);
}

/** A conversation's rows, its subagents' included: tombstones go by the conversation. */
function rowsOf(db: Db, table: string, key: string, text: string, sessionDbId: number): Row[] {
  return db.all(
    `SELECT x.id, main.session_id, x.${key} AS key, ${text} AS text, x.created_at AS at
     FROM sessions main JOIN sessions s ON s.id = main.id OR s.parent_session_db_id = main.id
     JOIN ${table} x ON x.session_db_id = s.id WHERE main.id = ?`,
    sessionDbId,
  );
}

function buriedObservations(db: Db): { id: number }[] {
  return db.all(
    "SELECT id FROM observations WHERE content_hash IN (SELECT hash FROM tombstones WHERE kind = 'observation')",
  );
}
