// Looks for what is left of a text: in every file of our folders byte by byte, in the indexes, and in rows that say the same.
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { PROGRAM_FOLDERS } from "../../config/paths.ts";
import { quoted } from "../../core/query.ts";
import { wordsOf } from "../../core/words.ts";
import type { Db } from "../../store/db/driver.ts";
import { countPhrase } from "./erase-rows.ts";
import { placesHolding } from "./rows-containing.ts";

/** Long enough to be nobody else's words by chance, short enough to lie on one page of the database. */
const PIECE_CHARS = 32;
export const MIN_PIECE_CHARS = 16;
const PIECES_PER_TEXT = 3;
const MAX_PIECES = 48;
/** Of a long text its beginning is enough to find it by. */
const MAX_TEXT_CHARS = 100_000;

// Control characters, quotes and backslashes are written in another way inside JSON.
const RUN = /[^\p{Cc}"\\]{16,}/gu;

/** Pieces of the texts as they lie on disk, whatever is put around them: without quotes, escapes and line ends. */
export function piecesOf(texts: readonly string[]): string[] {
  const perText = texts.map((text) => {
    const runs = text.slice(0, MAX_TEXT_CHARS).match(RUN) ?? [];
    return runs
      .toSorted((a, b) => b.length - a.length)
      .slice(0, PIECES_PER_TEXT)
      .map((run) => run.slice(0, PIECE_CHARS).trim())
      .filter((piece) => piece.length >= MIN_PIECE_CHARS && piece.isWellFormed());
  });
  const rounds = Array.from({ length: PIECES_PER_TEXT }, (_, index) =>
    perText.flatMap((pieces) => pieces[index] ?? []),
  );
  return [...new Set(rounds.flat())].slice(0, MAX_PIECES);
}

/** Texts without a piece: too short to be told from other text on disk. */
export function countTooShort(texts: readonly string[]): number {
  return [...new Set(texts)].filter((text) => piecesOf([text]).length === 0).length;
}

export interface Proof {
  pieces: number;
  /** Texts that files were not searched for. */
  tooShort: number;
  files: number;
  bytes: number;
  /** Files that hold a piece which no row accounts for. */
  found: string[];
  /** Items and sessions that say the same in so many words. */
  elsewhere: string[];
  /** What a search for its words finds that is not there any more. */
  searchHits: number;
  /** What it finds beside: rows that say it with other endings or signs. */
  alike: number;
}

/** `settled` are copies of the database in which every piece that is left stands in a row of its own. */
export function verifyErased(
  db: Db,
  folders: readonly string[],
  pieces: readonly string[],
  database: string,
  settled: readonly string[] = [],
): Omit<Proof, "tooShort"> {
  const scan = scanFolders(folders, pieces);
  const inStore = [
    ...new Set([...scan.found].filter(([path]) => path.startsWith(database)).flatMap(([, held]) => held)),
  ];
  const elsewhere = inStore.length === 0 ? [] : placesHolding(db, inStore);
  const accounted = (path: string, held: string[]): boolean =>
    settled.includes(path) ||
    (path.startsWith(database) && held.every((piece) => placesHolding(db, [piece]).length > 0));
  const found = [...scan.found].filter(([path, held]) => !accounted(path, held)).map(([path]) => path);
  const hits = pieces.map((piece) => ({ piece, ...countPhrase(db, phraseOf(piece)) }));
  const searchHits = hits.reduce((sum, { gone }) => sum + gone, 0);
  const alike = hits.filter(({ piece }) => !inStore.includes(piece)).reduce((sum, hit) => sum + hit.alike, 0);
  return { pieces: pieces.length, files: scan.files, bytes: scan.bytes, found, elsewhere, searchHits, alike };
}

/** The words that are whole; where there are too few to mean anything, all of them. */
function phraseOf(piece: string): string {
  const words = wordsOf(piece);
  const whole = words.slice(1, -1);
  return quoted(...(whole.length >= 2 ? whole : words));
}

/** The pieces that this one file holds. */
export function piecesIn(path: string, pieces: readonly string[]): string[] {
  return scanFile(path, pieces, { files: 0, bytes: 0, found: new Map() });
}

interface Scan {
  files: number;
  bytes: number;
  /** By path, the pieces it holds. */
  found: Map<string, string[]>;
}

function scanFolders(folders: readonly string[], pieces: readonly string[]): Scan {
  const scan: Scan = { files: 0, bytes: 0, found: new Map() };
  const paths = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      // Short words stand in code as well.
      .filter((name) => !PROGRAM_FOLDERS.includes(name.split(sep)[0] ?? ""))
      .map((name) => join(folder, name)),
  );
  for (const path of paths) {
    const held = scanFile(path, pieces, scan);
    if (held.length > 0) scan.found.set(path, held);
  }
  return scan;
}

const CHUNK_BYTES = 4 * 1024 * 1024;

function scanFile(path: string, pieces: readonly string[], scan: Scan): string[] {
  try {
    const { size } = statSync(path);
    if (!statSync(path).isFile()) return [];
    scan.files += 1;
    scan.bytes += size;
    if (path.endsWith(".gz")) {
      const text = foldCase(unzipped(path));
      return pieces.filter((piece) => text.includes(foldCase(Buffer.from(piece))));
    }
    return scanBytes(path, pieces);
  } catch (error) {
    // Gone since it was listed.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** As far as it goes: a copy that is being written, or whose writer was killed, ends in the middle. What is damaged is looked at as it lies there. */
function unzipped(path: string): Buffer {
  const { gunzipSync, constants } = process.getBuiltinModule("node:zlib");
  const bytes = readFileSync(path);
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return bytes;
  }
}

function scanBytes(path: string, pieces: readonly string[]): string[] {
  const wanted = new Map(pieces.map((piece) => [piece, foldCase(Buffer.from(piece))]));
  const overlap = Math.max(0, ...[...wanted.values()].map((bytes) => bytes.length));
  const buffer = Buffer.alloc(CHUNK_BYTES + overlap);
  const held = new Set<string>();
  const fd = openSync(path, "r");
  try {
    for (let kept = 0, position = 0; ;) {
      const read = readSync(fd, buffer, kept, CHUNK_BYTES, position);
      if (read === 0) return [...held];
      const chunk = buffer.subarray(0, kept + read);
      const text = foldCase(chunk);
      for (const [piece, bytes] of wanted) if (!held.has(piece) && text.includes(bytes)) held.add(piece);
      position += read;
      kept = Math.min(overlap, chunk.length);
      chunk.copy(buffer, 0, chunk.length - kept);
    }
  } finally {
    closeSync(fd);
  }
}

/** Byte by byte, and the same in upper and lower case: an index keeps words in lower case. */
function foldCase(bytes: Buffer): string {
  return bytes.toString("latin1").toLowerCase();
}
