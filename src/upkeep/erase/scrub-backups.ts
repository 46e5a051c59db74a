// Deletes forgotten text from copies of the database: backups and quarantined databases.
import { join } from "node:path";
import type { Paths } from "../../config/paths.ts";
import { listFolder, statOf } from "../../platform/read-file.ts";
import { listBackups, removeUnfinishedBackups } from "../../store/db/backup.ts";
import { removeDatabase, SUFFIXES } from "../../store/db/swap.ts";
import { type Db, withDriver } from "../../store/db/driver.ts";
import { migrate } from "../../store/db/migrate.ts";
import { transaction } from "../../store/db/transaction.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { commitSubjects, forgottenCommits } from "../../store/tables/commits.ts";
import { family } from "../../store/tables/sessions.ts";
import {
  allTombstones,
  deleteTombstone,
  hasForgottenParts,
  commitTombstones,
  hasTombstone,
  insertTombstone,
  isForgottenPrompt,
  isForgottenSession,
  type Tombstone,
  tombstoneOf,
} from "../../store/tables/tombstones.ts";
import { type DeletionSet, emptyDeletionSet, readDeletionRows } from "./deletion-set.ts";
import { type DerivedText, titlesOf, responsesOf, rowsWithText } from "./derived-text.ts";
import { overwriteDeleted, scrub } from "./erase-rows.ts";
import { forget, tombstonesOf, type TextToForget } from "./forget.ts";
import { findDerivedRowsContaining, findItemsContaining, findTextAnywhere } from "./rows-containing.ts";
import { addToDeletion } from "./select-deletion.ts";
import { piecesIn } from "./verify-erased.ts";
import { raw, sql } from "../../store/db/sql.ts";

export interface ClearedCopies {
  /** Copies that the text was deleted from. */
  cleaned: string[];
  /** Copies that did not contain the text. */
  without: string[];
  /** Copies that could not be cleaned and were deleted. */
  removed: string[];
  /** Tombstones of rows that only copies had: they keep an import of an old export from bringing those rows back. */
  tombstones: Tombstone[];
}

/** What identifies a forgotten text in a file. */
export interface Traces {
  pieces: readonly string[];
  /** Ids of its sessions. */
  sessions: readonly string[];
  words?: TextToForget | undefined;
}

function copiesOf({ database, quarantine }: Paths): string[] {
  const quarantined = listFolder(quarantine).map((folder) => join(quarantine, folder, "c-mem.db"));
  return [...listBackups(database).map(({ path }) => path), ...quarantined.filter((path) => statOf(path))];
}

/** Deletes rows that match this database's tombstones from every backup and quarantined database. */
export function clearCopies(db: Db, paths: Paths, traces: Traces): ClearedCopies {
  const cleared: ClearedCopies = { cleaned: [], without: [], removed: [], tombstones: [] };
  // An unfinished backup contains the text, too.
  removeUnfinishedBackups(paths.database, Infinity);
  for (const path of copiesOf(paths)) {
    const result = tryClearCopy(db, path, traces);
    if (result !== undefined) {
      cleared.tombstones.push(...addTombstones(db, result.tombstones));
      cleared[result.rows > 0 ? "cleaned" : "without"].push(path);
    } else if (mayContain(path, traces)) {
      // Deleting the text is more important than keeping the backup.
      removeDatabase(path);
      cleared.removed.push(path);
    }
  }
  return cleared;
}

interface Deleted {
  rows: number;
  tombstones: Tombstone[];
}

/** Undefined if the copy is damaged or was written by a newer version. */
function tryClearCopy(from: Db, path: string, { pieces, words }: Traces): Deleted | undefined {
  try {
    return withDriver(path, {}, (copy) => {
      // An old copy is migrated, not deleted: it may be the only backup from its time.
      migrate(copy);
      const now = Date.now();
      transaction(copy, () => {
        for (const tombstone of allTombstones(from)) insertTombstone(copy, tombstone, now);
      });
      const deleted = forgetByTombstones(copy, now, words && wordsIn(from, copy, words));
      const left = SUFFIXES.flatMap((suffix) => piecesIn(path + suffix, pieces));
      return left.every((piece) => findTextAnywhere(copy, [piece]).length > 0) ? deleted : undefined;
    });
  } catch {
    return undefined;
  }
}

/** True if it is not certain that the copy does not contain the text. */
function mayContain(path: string, { pieces, sessions }: Traces): boolean {
  const signs = [...pieces, ...sessions];
  return signs.length === 0 || SUFFIXES.some((suffix) => piecesIn(path + suffix, signs).length > 0);
}

/** Returns the added tombstones. Skips one that matches a row of this database: that row was changed and kept. */
function addTombstones(db: Db, tombstones: readonly Tombstone[]): Tombstone[] {
  return transaction(db, () => {
    const added = tombstones.filter((one) => insertTombstone(db, one, Date.now()));
    const matching = new Set(added.length === 0 ? [] : hashesOf(db, findForgotten(db)));
    for (const { kind, hash } of added) if (matching.has(hash)) deleteTombstone(db, kind, hash);
    return added.filter(({ hash }) => !matching.has(hash));
  });
}

function hashesOf(db: Db, { deletion, responses, titles, commits }: Found): string[] {
  const rows = readDeletionRows(db, deletion);
  const evidence = [...rows.prompts, ...rows.messages, ...rows.tool_uses];
  return [
    ...rows.sessions.map(({ item }) => tombstoneOf("session", item)),
    ...tombstonesOf(evidence, [...responses, ...titles], rows.observations),
    ...commitSubjects(db, commits).flatMap(commitTombstones),
  ].map(({ hash }) => hash);
}

/** Whether a copy contains the words: copies keep what retention has deleted from the database. */
export function isInCopies(db: Db, paths: Paths, words: TextToForget): boolean {
  return copiesOf(paths).some((path) => {
    try {
      return withDriver(path, { readOnly: true }, (copy) => {
        const { text, projectId } = wordsIn(db, copy, words);
        const { commits } = findDerivedRowsContaining(copy, text, projectId);
        return commits.length > 0 || findItemsContaining(copy, text, projectId).length > 0;
      });
    } catch {
      // The copy is damaged or of another version: search its bytes.
      return piecesIn(path, [words.text]).length > 0;
    }
  });
}

const NO_PROJECT = 0;

/** The same project has another row id in a database that came from another machine. */
function wordsIn(db: Db, copy: Db, words: TextToForget): TextToForget {
  if (words.projectId === undefined) return words;
  const key = db.value<string>(sql`SELECT key FROM projects WHERE id = ${words.projectId}`) ?? "";
  return { ...words, projectId: copy.value(sql`SELECT id FROM projects WHERE key = ${key}`) ?? NO_PROJECT };
}

/** Deletes the rows that match this database's own tombstones. Returns how many. */
export function deleteForgotten(db: Db, now: number): number {
  return forgetByTombstones(db, now).rows;
}

function forgetByTombstones(db: Db, now: number, words?: TextToForget): Deleted {
  const { deletion, ...texts } = findForgotten(db);
  // Many turns may end with "Done.": if one is forgotten, the text stays for the others.
  const isUnshared = (text: DerivedText): boolean => {
    const { prompts, messages } = rowsWithText(db, text);
    return prompts.every((id) => deletion.prompts.has(id)) && messages.every((id) => deletion.messages.has(id));
  };
  const responses = texts.responses.filter(isUnshared).map(({ id }) => id);
  const sessions = [...new Set(texts.titles.filter(isUnshared).map(({ own }) => own))];
  for (const item of words ? findItemsContaining(db, words.text, words.projectId) : [])
    addToDeletion(db, deletion, item);
  const { commits } = texts;
  const found = [...Object.values(deletion), responses, sessions, commits].some((ids) => [...ids].length > 0);
  if (!found && words === undefined) return { rows: 0, tombstones: [] };
  overwriteDeleted(db);
  const { removed, tombstones } = forget(db, deletion, now, { words, derived: { responses, sessions, commits } });
  updateSearchIndex(db);
  scrub(db);
  return { rows: Object.values(removed).reduce((sum, count) => sum + count, 0), tombstones };
}

interface Found {
  deletion: DeletionSet;
  responses: ReturnType<typeof responsesOf>;
  titles: ReturnType<typeof titlesOf>;
  /** Row ids. */
  commits: number[];
}

/** Each table's column with the agent's id, and the kind of its tombstones. */
const KEYED = [
  ["messages", "uuid", "message"],
  ["tool_uses", "tool_use_id", "tool-use"],
] as const;

/** The rows and texts that a tombstone of this database matches. */
function findForgotten(db: Db): Found {
  const deletion = emptyDeletionSet();
  const sessions = db.all<{ id: number; session_id: string }>(sql`SELECT id, session_id FROM sessions`);
  for (const { id, session_id } of sessions) if (isForgottenSession(db, session_id)) deletion.sessions.add(id);
  const isForgottenText = (one: DerivedText): boolean =>
    hasTombstone(db, tombstoneOf("text", one.session_id, one.text));
  const found: Found = { deletion, responses: [], titles: [], commits: [] };
  for (const { id, session_id } of sessions) {
    if (deletion.sessions.has(id) || !hasForgottenParts(db, session_id)) continue;
    // Tombstones are keyed by the conversation, which includes its subagents.
    const inFamily = sql`session_db_id IN (${family(id)})`;
    const prompts = db.all<{ id: number; prompt_id: string | null; text: string; at: number }>(
      sql`SELECT id, prompt_id, text, created_at AS at FROM prompts WHERE ${inFamily}`,
    );
    for (const { id: promptDbId, prompt_id, text, at } of prompts) {
      const prompt = { promptId: prompt_id ?? undefined, text };
      if (isForgottenPrompt(db, session_id, prompt, at)) deletion.prompts.add(promptDbId);
    }
    for (const [table, column, kind] of KEYED) {
      const rows = db.all<{ id: number; key: string | null }>(
        sql`SELECT id, ${raw(column)} AS key FROM ${raw(table)} WHERE ${inFamily}`,
      );
      for (const row of rows)
        if (hasTombstone(db, tombstoneOf(kind, session_id, row.key ?? ""))) deletion[table].add(row.id);
    }
    found.commits.push(...forgottenCommits(db, id, session_id));
    const promptIds = prompts.map((row) => row.id);
    found.responses.push(...responsesOf(db, promptIds).filter(isForgottenText));
    const sessionIds = db.column<string>(sql`SELECT session_id FROM sessions WHERE id IN (${family(id)})`);
    found.titles.push(...titlesOf(db, sessionIds).filter(isForgottenText));
  }
  const observations = db.column<number>(sql`SELECT id FROM observations
    WHERE content_hash IN (SELECT hash FROM tombstones WHERE kind = 'observation')`);
  for (const id of observations) deletion.observations.add(id);
  return found;
}
