// Verifies that forgotten texts are gone: searches the bytes of all files in C-Mem's folders, the indexes and the rows.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { PROGRAM_FOLDERS } from "../../config/paths.ts";
import { quoted } from "../../core/query.ts";
import { wordsOf } from "../../core/words.ts";
import { eachChunk } from "../../platform/read-file.ts";
import type { Db } from "../../store/db/driver.ts";
import { countPhrase } from "./erase-rows.ts";
import { findTextAnywhere } from "./rows-containing.ts";

/** Long enough to be unique, short enough to fit on one database page. */
const PIECE_CHARS = 32;
export const MIN_PIECE_CHARS = 16;
const PIECES_PER_TEXT = 3;
const MAX_PIECES = 48;
const MAX_TEXT_CHARS = 100_000;

// No control characters, quotes or backslashes: JSON escapes them.
const RUN = /[^\p{Cc}"\\]{16,}/gu;

/** Pieces of the texts whose bytes are the same in plain text and in JSON. */
export function piecesOf(texts: readonly string[]): string[] {
  const perText = texts.map((text) => {
    const runs = text.slice(0, MAX_TEXT_CHARS).match(RUN) ?? [];
    return runs
      .toSorted((a, b) => b.length - a.length)
      .slice(0, PIECES_PER_TEXT)
      .map((run) => run.slice(0, PIECE_CHARS).trim())
      .filter((piece) => piece.length >= MIN_PIECE_CHARS && piece.isWellFormed());
  });
  // The longest piece of every text first, then the second longest.
  const rounds = Array.from({ length: PIECES_PER_TEXT }, (_, index) => perText.flatMap((all) => all[index] ?? []));
  return [...new Set(rounds.flat())].slice(0, MAX_PIECES);
}

/** How many texts are too short to be told apart from other text on disk. */
export function countTooShort(texts: readonly string[]): number {
  return [...new Set(texts)].filter((text) => piecesOf([text]).length === 0).length;
}

export interface Proof {
  pieces: number;
  /** Texts too short to search files for. */
  tooShort: number;
  files: number;
  bytes: number;
  /** Files with a piece that is in no remaining row. */
  found: string[];
  /** Remaining items and sessions that contain a piece. */
  elsewhere: string[];
  /** Index entries of rows that no longer exist. */
  searchHits: number;
  /** Index entries of remaining rows with similar words: other endings or punctuation. */
  alike: number;
}

/** `cleaned`: copies of the database that were checked already. */
export function verifyErased(
  db: Db,
  folders: readonly string[],
  pieces: readonly string[],
  database: string,
  cleaned: readonly string[] = [],
): Omit<Proof, "tooShort"> {
  const scan = scanFolders(folders, pieces);
  const inDatabase = [...scan.found].filter(([path]) => path.startsWith(database)).flatMap(([, held]) => held);
  const isInRow = (piece: string): boolean => findTextAnywhere(db, [piece]).length > 0;
  const isExplained = ([path, held]: [string, string[]]): boolean =>
    cleaned.includes(path) || (path.startsWith(database) && held.every(isInRow));
  const hits = pieces.map((piece) => ({ piece, ...countPhrase(db, phraseOf(piece)) }));
  return {
    pieces: pieces.length,
    files: scan.files,
    bytes: scan.bytes,
    found: [...scan.found].filter((file) => !isExplained(file)).map(([path]) => path),
    elsewhere: inDatabase.length === 0 ? [] : findTextAnywhere(db, [...new Set(inDatabase)]),
    searchHits: hits.reduce((sum, { gone }) => sum + gone, 0),
    alike: hits.reduce((sum, { piece, alike }) => sum + (inDatabase.includes(piece) ? 0 : alike), 0),
  };
}

/** Drops the first and last word, which may be incomplete, if at least two words remain. */
function phraseOf(piece: string): string {
  const words = wordsOf(piece);
  const whole = words.slice(1, -1);
  return quoted(...(whole.length >= 2 ? whole : words));
}

function scanFolders(folders: readonly string[], pieces: readonly string[]) {
  const scan = { files: 0, bytes: 0, found: new Map<string, string[]>() };
  for (const folder of folders) {
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      // A piece may be in C-Mem's own code.
      if (PROGRAM_FOLDERS.includes(name.split(sep)[0] ?? "")) continue;
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      if (!stat?.isFile()) continue;
      scan.files += 1;
      scan.bytes += stat.size;
      const held = piecesIn(path, pieces);
      if (held.length > 0) scan.found.set(path, held);
    }
  }
  return scan;
}

/** The pieces that this file contains, ignoring case: an index stores words in lower case. */
export function piecesIn(path: string, pieces: readonly string[]): string[] {
  const wanted = new Map(pieces.map((piece) => [piece, lowerCase(Buffer.from(piece))]));
  const held = new Set<string>();
  const search = (bytes: Buffer): void => {
    const text = lowerCase(bytes);
    for (const [piece, form] of wanted) if (!held.has(piece) && text.includes(form)) held.add(piece);
  };
  try {
    if (path.endsWith(".gz")) search(unzip(path));
    else eachChunk(path, Math.max(0, ...Array.from(wanted.values(), (form) => form.length)), search);
  } catch (error) {
    // Deleted since it was listed.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return [...held];
}

/** Unzips an incomplete file as far as possible; returns the raw bytes of a damaged one. */
function unzip(path: string): Buffer {
  const { gunzipSync, constants } = process.getBuiltinModule("node:zlib");
  const bytes = readFileSync(path);
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return bytes;
  }
}

function lowerCase(bytes: Buffer): string {
  return bytes.toString("latin1").toLowerCase();
}
