// Splits a query into words, pairs of words, phrases and paths for the indexes.
import { partsOf, STOP_WORDS, wordsOf } from "./words.ts";

/** Only the beginning of a longer query, such as a pasted log, is used. */
const MAX_QUERY_CHARS = 6_000;
const MAX_WORD_CHARS = 64;
const MAX_PATHS = 8;

export interface PreparedQuery {
  /** Distinct, lower case, in order, without stop words (unless there are only those). */
  words: string[];
  /** Adjacent words: a turn with "error handling" ranks above one with both words apart. */
  pairs: [string, string][];
  /** The words of each quoted phrase. Only turns with all phrases are found, unless no turn has them. */
  phrases: string[][];
  /** File paths, without leading "./", "@" or "/". */
  paths: string[];
}

export function prepareQuery(text: string): PreparedQuery {
  const head = text.slice(0, MAX_QUERY_CHARS).replaceAll("\0", " ");
  const written = wordsOf(head).filter((word) => word.length <= MAX_WORD_CHARS);
  const parted = written.flatMap((word) => partsOf(word));
  const all = [...written, ...parted].map((word) => word.toLowerCase());
  const informative = all.filter((word) => !STOP_WORDS.has(word));
  return {
    words: [...new Set(informative.length > 0 ? informative : all)],
    pairs: [...pairsOf(written), ...written.flatMap((word) => pairsOf(partsOf(word)))],
    phrases: phrasesOf(head),
    paths: pathsOf(head),
  };
}

const MAX_PHRASES = 8;
/** With more words outside of quotation marks, the query is a sentence, and the quotation marks are part of it. */
const MAX_UNQUOTED_WORDS = 4;

function phrasesOf(text: string): string[][] {
  if (wordsOf(text.replace(/"[^"\n]*"/g, " ")).length > MAX_UNQUOTED_WORDS) return [];
  return [...text.matchAll(/"([^"\n]{2,200})"/g)]
    .map((match) => wordsOf(match[1] ?? ""))
    .filter((words) => words.length > 0)
    .slice(0, MAX_PHRASES);
}

function pairsOf(written: string[]): [string, string][] {
  const pairs = new Map<string, [string, string]>();
  for (const [index, word] of written.entries()) {
    const [a, b] = [written[index - 1]?.toLowerCase(), word.toLowerCase()];
    if (a !== undefined && a !== b) pairs.set(`${a} ${b}`, [a, b]);
  }
  return [...pairs.values()];
}

const PATH = /(?:[\w.@-]+\/)+[\w.-]+|\b[\w-]+\.[a-z][a-z0-9]{0,4}\b/i;
const MAX_PATH_CHARS = 300;
const MAX_SUFFIXES = 12;

function pathsOf(text: string): string[] {
  // Matched piece by piece: on a long text without spaces PATH takes quadratic time.
  const pieces = text.split(/[\s"'`()<>,;:]+/).filter((piece) => piece.length <= MAX_PATH_CHARS);
  const paths = pieces.map((piece) => (PATH.exec(piece.replaceAll("\\", "/"))?.[0] ?? "").replace(/^[@./]+|\.+$/g, ""));
  return [...new Set(paths)].filter((path) => path.length > 3).slice(0, MAX_PATHS);
}

/** "a/b/c" -> ["a/b/c", "b/c", "c"]: stored paths are relative, a path in a query may be absolute. */
export function pathSuffixes(path: string): string[] {
  const parts = path.split("/").slice(-MAX_SUFFIXES);
  return parts.map((_, index) => parts.slice(index).join("/"));
}

/** The words as an FTS5 string, in which operators have no effect. */
export function quoted(...words: string[]): string {
  return `"${words.join(" ").replaceAll('"', '""')}"`;
}
