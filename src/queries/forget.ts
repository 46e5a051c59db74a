// Deletes items for good and verifies that they are gone; or lists what would be deleted.
import { existsSync } from "node:fs";
import { clearFiles } from "../upkeep/erase/clear-files.ts";
import { findFallbackSpools } from "../capture/live/spool.ts";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { forget, type Forgotten, type TextToForget } from "../upkeep/erase/forget.ts";
import { clearCopies, type ClearedCopies } from "../upkeep/erase/scrub-backups.ts";
import { countTooShort, piecesOf, type Proof, verifyErased } from "../upkeep/erase/verify-erased.ts";
import { byKind, expandDeletion, type DeletionRows, readDeletionRows } from "../upkeep/erase/deletion-set.ts";
import type { Db } from "../store/db/driver.ts";
import { overwriteDeleted, scrub } from "../upkeep/erase/erase-rows.ts";
import { toStoreError } from "../store/db/open.ts";
import { updateSearchIndex } from "../store/fts/search-index.ts";
import { transcriptPathsOf } from "../store/tables/sync-state.ts";
import type { QueryContext } from "./query.ts";
import type { Answer, Json } from "./envelope.ts";
import { type Choice, type ForgetInput, selectDeletion } from "./forget-choice.ts";

export interface Plan extends Answer, Choice {
  rows: DeletionRows;
}

/** Plans a deletion. `names`: ids, or the words of a text. */
export function planForget(context: QueryContext, names: readonly string[], input: ForgetInput = {}): Plan {
  return planDeletion(context, selectDeletion(context, names, input));
}

export function planDeletion({ db }: Pick<QueryContext, "db">, choice: Choice): Plan {
  overwriteDeleted(db);
  const all = structuredClone(choice.selected);
  expandDeletion(db, all);
  const rows = readDeletionRows(db, all);
  return { ...choice, rows, data: { applied: false, would_remove: namesOf(rows) } };
}

export interface Receipt extends Forgotten {
  /** Number of deleted spool files. */
  drops: number;
  /** Number of deleted transcript copies. */
  copies: number;
  backups: ClearedCopies;
  proof: Proof;
  /** Free pages are overwritten and the write-ahead log is empty. */
  isClean: boolean;
  /** The error, if clearing them failed. */
  trouble?: unknown;
  isProven: boolean;
  /** Agents' own transcripts that still contain the text. */
  sources: string[];
}

/** `namedIn`: a file that is allowed to contain the text: the settings file, for `c-mem ignore`. */
export function carryOutForget(
  { db, paths }: Pick<QueryContext, "db" | "paths">,
  plan: Pick<Plan, "rows" | "selected" | "words">,
  namedIn?: string,
): Answer & { receipt: Receipt } {
  const { rows, selected, words } = plan;
  const sources = transcriptPathsOf(
    db,
    [...rows.sessions, ...rows.prompts, ...rows.messages, ...rows.tool_uses].map((row) => row.session_id ?? ""),
  );
  const forgotten = forget(db, selected, Date.now(), { words });
  const receipt = clearAndVerify(db, paths, forgotten, { words, sources, namedIn });
  return { data: { applied: true, ...receiptJson(receipt, namesOf(rows)) }, receipt };
}

interface Sources {
  words: TextToForget | undefined;
  sources: string[];
  namedIn: string | undefined;
}

function clearAndVerify(db: Db, paths: Paths, forgotten: Forgotten, { words, sources, namedIn }: Sources): Receipt {
  const recorded = piecesOf(forgotten.texts);
  const pieces = words === undefined ? recorded : [...new Set([words.text, ...recorded])];
  const cleared = clearFiles(db, paths, { pieces, sessions: forgotten.sessions });
  const backups = clearCopies(db, paths, { pieces, sessions: [...forgotten.sessions, ...forgotten.touched], words });
  updateSearchIndex(db);
  const scrubbed = tryScrub(db, paths);
  const folders = [paths.home, ...findFallbackSpools(paths)];
  const scan = verifyErased(db, folders, pieces, paths.database, [...backups.cleaned, ...backups.without]);
  const found = scan.found.filter((path) => path !== namedIn);
  const proof: Proof = { ...scan, found, tooShort: countTooShort(forgotten.texts) };
  const isProven = scrubbed.isClean && proof.found.length === 0 && proof.searchHits === 0;
  const left = sources.filter((path) => existsSync(path));
  const tombstones = [...forgotten.tombstones, ...backups.tombstones];
  return { ...forgotten, tombstones, ...cleared, backups, ...scrubbed, proof, isProven, sources: left };
}

/** Completes an interrupted forget: its rows are deleted, but copies may remain. */
export function finishForget(db: Db, paths: Paths): void {
  overwriteDeleted(db);
  clearFiles(db, paths, { pieces: [], sessions: [] });
  clearCopies(db, paths, { pieces: [], sessions: [] });
  if (!scrub(db))
    throw new AppError("store_busy", "Another program is reading the database.", { hint: "Try again in a moment." });
}

/** Reports an error in the receipt instead of throwing it, because the rows are already deleted. */
function tryScrub(db: Db, paths: Paths): { isClean: boolean; trouble?: unknown } {
  try {
    return { isClean: scrub(db) };
  } catch (error) {
    return { isClean: false, trouble: toStoreError(error, paths.database) };
  }
}

function namesOf(rows: DeletionRows): Record<string, string[]> {
  return byKind((kind) => rows[kind].map(({ item }) => item));
}

function receiptJson(receipt: Receipt, removedIds: Record<string, string[]>): Json {
  const { removed, tombstones, drops, copies, backups, proof, isClean, isProven, sources } = receipt;
  return {
    removed: { ...removed, drops, transcript_copies: copies, backups: backups.removed.length },
    backups: { cleaned: backups.cleaned, removed: backups.removed },
    items: removedIds,
    tombstones,
    proof: {
      proven: isProven,
      search_hits: proof.searchHits,
      search_alike: proof.alike,
      pieces: proof.pieces,
      texts_too_short: proof.tooShort,
      files_scanned: proof.pieces === 0 ? 0 : proof.files,
      bytes_scanned: proof.pieces === 0 ? 0 : proof.bytes,
      found_in: proof.found,
      log_emptied: isClean,
    },
    still_exists: { same_words_in: proof.elsewhere, transcripts: sources },
  };
}
