// Takes something out for good and shows that it is gone; or says what would go.
import { existsSync } from "node:fs";
import { clearFiles } from "../capture/clear.ts";
import type { Paths } from "../config/paths.ts";
import { forget, type Forgotten } from "../memory/forget.ts";
import { piecesOf, type Proof, proveGone } from "../memory/traces.ts";
import { completeDoom, type Doomed, type DoomedRow, readDoomed } from "../store/doomed.ts";
import type { Db } from "../store/driver.ts";
import { overwriteDeleted, scrub } from "../store/erase.ts";
import { explain } from "../store/open.ts";
import { updateSearchIndex } from "../store/search-index.ts";
import { sourcesOf } from "../store/sync-state.ts";
import type { Asked } from "./asked.ts";
import type { Answer, Json } from "./envelope.ts";
import { type Choice, chooseDoomed } from "./forget-choice.ts";

export type DoomedRows = Record<keyof Doomed, DoomedRow[]>;

export interface Plan extends Answer, Choice {
  rows: DoomedRows;
}

/** What would go: by ids, or everything that says certain words. */
export function planForget(asked: Asked, args: readonly string[]): Plan {
  const { db } = asked;
  overwriteDeleted(db);
  const choice = chooseDoomed(asked, args);
  const all = structuredClone(choice.doomed);
  completeDoom(db, all);
  const rows = readDoomed(db, all);
  return { ...choice, rows, data: { applied: false, would_remove: namesOf(rows) } };
}

export interface Receipt extends Forgotten {
  /** Files that went beside the database's rows. */
  drops: number;
  copies: number;
  proof: Proof;
  /** Free pages were written over and the log is empty. */
  isClean: boolean;
  /** What stood in the way, where they could not be. */
  trouble?: unknown;
  isProven: boolean;
  /** The agents' own files that it was read from. */
  sources: string[];
}

export function carryOutForget(
  { db, paths }: Pick<Asked, "db" | "paths">,
  plan: Pick<Plan, "rows" | "doomed" | "words">,
): Answer & { receipt: Receipt } {
  const { rows, doomed, words } = plan;
  const sources = sourcesOf(
    db,
    [...rows.sessions, ...rows.prompts, ...rows.messages, ...rows.toolUses].map((row) => row.session_id ?? ""),
  );
  const forgotten = forget(db, doomed, Date.now(), words);
  const receipt = prove(db, paths, forgotten, words?.text, sources);
  return { data: { applied: true, ...receiptJson(receipt, namesOf(rows)) }, receipt };
}

function prove(db: Db, paths: Paths, forgotten: Forgotten, text: string | undefined, sources: string[]): Receipt {
  const pieces = text === undefined ? piecesOf(forgotten.texts) : [...new Set([text, ...piecesOf(forgotten.texts)])];
  const cleared = clearFiles(db, paths, { pieces, sessions: forgotten.sessions });
  updateSearchIndex(db);
  const scrubbed = tryScrub(db, paths);
  const proof: Proof = proveGone(db, paths.home, pieces, paths.database);
  const isProven = scrubbed.isClean && proof.found.length === 0 && proof.searchHits === 0;
  const left = sources.filter((path) => existsSync(path));
  return { ...forgotten, ...cleared, ...scrubbed, proof, isProven, sources: left };
}

/** The rows are gone by now: whatever stands in the way is said, and the receipt given all the same. */
function tryScrub(db: Db, paths: Paths): { isClean: boolean; trouble?: unknown } {
  try {
    return { isClean: scrub(db) };
  } catch (error) {
    return { isClean: false, trouble: explain(error, paths.database) };
  }
}

function namesOf(rows: DoomedRows): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(rows).map(([kind, list]) => [kind === "toolUses" ? "tool_uses" : kind, list.map((row) => row.item)]),
  );
}

function receiptJson(receipt: Receipt, removedIds: Record<string, string[]>): Json {
  const { removed, tombstones, drops, copies, proof, isClean, isProven, sources } = receipt;
  return {
    removed: { ...removed, drops, transcript_copies: copies },
    items: removedIds,
    tombstones,
    proof: {
      proven: isProven,
      search_hits: proof.searchHits,
      search_alike: proof.alike,
      pieces: proof.pieces,
      files_scanned: proof.files,
      bytes_scanned: proof.bytes,
      found_in: proof.found,
      log_emptied: isClean,
    },
    still_exists: { same_words_in: proof.elsewhere, transcripts: sources },
  };
}
