// Turns what somebody asks into words, pairs of words and paths that an index can be asked for.
import { partsOf, STOP_WORDS, wordsOf } from "./words.ts";

/** A pasted log of 100 KB is asked for by its head; what follows seldom says more. */
const MAX_QUERY_CHARS = 6_000;
const MAX_WORD_CHARS = 64;
const MAX_PATHS = 8;

export interface PreparedQuery {
  /** Distinct words in the order they stand, lower case, without stop-words (unless there are only those). */
  words: string[];
  /** Neighbours, as phrases: `error handling` ranks a turn that says just that above one that says both somewhere. */
  pairs: [string, string][];
  /** What stood in quotation marks, word by word: it has to be there just so, if it is anywhere. */
  phrases: string[][];
  /** What looks like a file, without leading "./", "@" or "/". */
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
/** Quotation marks in a whole sentence are its author's; in a few words they are meant for us. */
const MAX_WORDS_BESIDE = 4;

function phrasesOf(text: string): string[][] {
  if (wordsOf(text.replace(/"[^"\n]*"/g, " ")).length > MAX_WORDS_BESIDE) return [];
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
const MAX_TAILS = 12;

function pathsOf(text: string): string[] {
  // Piece by piece: over a long text without spaces the expression would be quadratic.
  const pieces = text.split(/[\s"'`()<>,;:]+/).filter((piece) => piece.length <= MAX_PATH_CHARS);
  const paths = pieces.map((piece) => (PATH.exec(piece.replaceAll("\\", "/"))?.[0] ?? "").replace(/^[@./]+|\.+$/g, ""));
  return [...new Set(paths)].filter((path) => path.length > 3).slice(0, MAX_PATHS);
}

/** Every tail of a path: what is stored is relative to a root the asker may have written out. */
export function tailsOf(path: string): string[] {
  const parts = path.split("/").slice(-MAX_TAILS);
  return parts.map((_, index) => parts.slice(index).join("/"));
}

/** An FTS5 string: nothing in it is an operator. */
export function quoted(...words: string[]): string {
  return `"${words.join(" ").replaceAll('"', '""')}"`;
}
