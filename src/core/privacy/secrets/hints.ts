// Finds the rows of the table of secrets that may match a text. One pass over the text's bytes searches for 550 hints,
// ten times faster than 550 calls of `includes`.
import { LABEL_WORDS } from "./labels.ts";
import type { Secret } from "./secret.ts";
import { SECRETS } from "./secrets.ts";

/** Counts only at the end of a word, because `_path` is common. */
export const FINAL_WORD = "_pat";

export interface Suspicion {
  /** Rows that may match, in the order of the table. Rows without hints are last. */
  secrets: readonly Secret[];
  isHinted: boolean;
  /** Places of words such as "password" or "key", in any case. */
  words: readonly number[];
}

/** The first short texts of a process are checked with 550 calls of `includes` (0.5 ms): the index takes 3 ms. */
const COLD_TEXTS = 40;
const COLD_CHARS = 10_000;
let textsSeen = 0;

export function suspects(text: string): Suspicion {
  textsSeen += 1;
  return textsSeen > COLD_TEXTS || text.length >= COLD_CHARS ? suspectsByIndex(text) : suspectsBySearch(text);
}

function suspectsBySearch(text: string): Suspicion {
  const hinted = SECRETS.filter(({ hints }) => hints?.some((hint) => text.includes(hint)));
  const words = Array.from(text.matchAll(WORD), ({ index }) => index);
  return suspicion(
    hinted,
    words,
    words.some((word) => isWhole(text, word)),
  );
}

const WORD = new RegExp(`${LABEL_WORDS.join("|")}|${FINAL_WORD}`, "gi");

/** True for all words except a "_pat" inside a longer word such as "_path". */
function isWhole(text: string, word: number): boolean {
  return text.charAt(word) !== "_" || !/\w/.test(text.charAt(word + FINAL_WORD.length));
}

const UNHINTED = SECRETS.filter((secret) => secret.hints === undefined);
const UNHINTED_WITHOUT_WORD = UNHINTED.filter((secret) => secret.starts === undefined);

function suspicion(hinted: readonly Secret[], words: readonly number[], isWorded: boolean): Suspicion {
  const unhinted = isWorded ? UNHINTED : UNHINTED_WITHOUT_WORD;
  if (hinted.length === 0) return { secrets: unhinted, isHinted: isWorded, words };
  return { secrets: [...hinted, ...unhinted], isHinted: true, words };
}

function suspectsByIndex(text: string): Suspicion {
  const { hints, ends } = (hintsByTriple ??= indexHints());
  const bytes = bytesOf(text);
  const { length } = text;
  const rows = new Set<number>();
  const words: number[] = [];
  let isWorded = false;
  // Runs one byte past the text: a two-byte hint is indexed with every third byte.
  for (let at = 0, triple = 0; at <= length; at++) {
    triple = ((triple << 5) | ((bytes[at] as number) & 0x1f)) & TRIPLE_MASK;
    if (ends[triple] === 0) continue;
    const near = hints[triple] as Hint[];
    // An iterator would take twice the time here.
    for (let index = 0; index < near.length; index++) {
      const hint = near[index] as Hint;
      const start = at - hint.offset;
      if (!isAt(hint, text, bytes, start)) continue;
      if (hint.rows !== undefined) {
        for (const row of hint.rows) rows.add(row);
        continue;
      }
      isWorded ||= isWhole(text, start);
      words.push(start);
    }
  }
  if (rows.size === 0) return suspicion([], words, isWorded);
  const hinted = [...rows].sort((a, b) => a - b).map((row) => SECRETS[row] as Secret);
  return suspicion(hinted, words, isWorded);
}

interface Hint {
  text: string;
  bytes: Uint8Array;
  /** Offset of the last byte of the triple under which the hint is indexed. */
  offset: number;
  /** Rows of the table of secrets. Undefined for a word, whose case is ignored. */
  rows?: number[];
  /** The hint is also compared as text, because "令牌" and "令L" have the same low bytes. */
  isWide: boolean;
}

/** The low five bits of three bytes. They are the same for "a" and "A". */
const TRIPLE_MASK = 0x7fff;
const CASE_BIT = 0x20;
let hintsByTriple: HintIndex | undefined;

interface HintIndex {
  hints: (Hint[] | undefined)[];
  /** 1 for each triple that has hints. Its 32 KB stay in the processor's cache, unlike the array. */
  ends: Uint8Array;
}

/** Takes about 3 ms, once per process. */
function indexHints(): HintIndex {
  const byTriple = Array.from<Hint[] | undefined>({ length: TRIPLE_MASK + 1 });
  for (const hint of [...hintsOfSecrets(), ...[...LABEL_WORDS, FINAL_WORD].map((word) => makeHint(word))]) {
    const [first = 0, second = 0, third] = hint.bytes.subarray(hint.offset - 2, hint.offset + 1);
    const pair = ((first & 0x1f) << 10) | ((second & 0x1f) << 5);
    const thirds = third === undefined ? Array.from({ length: 32 }, (_, any) => any) : [third & 0x1f];
    for (const last of thirds) (byTriple[pair | last] ??= []).push(hint);
  }
  return { hints: byTriple, ends: Uint8Array.from(byTriple, (hints) => (hints === undefined ? 0 : 1)) };
}

function hintsOfSecrets(): Iterable<Hint> {
  const found = new Map<string, Hint>();
  for (const [row, { hints = [] }] of SECRETS.entries()) {
    for (const text of hints) {
      const hint = found.get(text) ?? makeHint(text, []);
      hint.rows?.push(row);
      found.set(text, hint);
    }
  }
  return found.values();
}

function makeHint(text: string, rows?: number[]): Hint {
  const offset = rarestTriple(text) + 2;
  return { text, bytes: Buffer.from(text, "latin1"), offset, isWide: /[^\0-\xff]/.test(text), ...(rows && { rows }) };
}

function isAt({ text: hint, bytes, rows, isWide }: Hint, text: string, of: Uint8Array, start: number): boolean {
  if (start < 0 || start + bytes.length > text.length) return false;
  for (let place = 0; place < bytes.length; place++) {
    const byte = of[start + place] as number;
    if (byte !== bytes[place] && (rows !== undefined || (byte | CASE_BIT) !== bytes[place])) return false;
  }
  return !isWide || text.slice(start, start + hint.length).toLowerCase() === hint;
}

/** Size of the reused buffer. Longer texts are rare. */
const BUFFER_BYTES = 256 * 1024;
let buffer: Buffer | undefined;

/** The low byte of each character, followed by a zero. */
function bytesOf(text: string): Buffer {
  const bytes = text.length < BUFFER_BYTES ? (buffer ??= Buffer.alloc(BUFFER_BYTES)) : Buffer.alloc(text.length + 1);
  bytes.write(text, "latin1");
  bytes[text.length] = 0;
  return bytes;
}

/** Index of the hint's three adjacent characters that are rarest in text and code. */
function rarestTriple(hint: string): number {
  const commonness = Array.from(hint.toLowerCase(), (letter) => LETTERS.indexOf(letter) + 2);
  let rarest = 0;
  for (let place = 1, least = Infinity; place + 2 <= hint.length; place++) {
    const [first = 0, second = 0, third = 0] = commonness.slice(place - 1, place + 2);
    if (first * second * third >= least) continue;
    least = first * second * third;
    rarest = place - 1;
  }
  return rarest;
}

/** Common characters, rarest first. All others are rarer. */
const LETTERS = "=:/-._zqjxkwvybhgfpmucdlrsnioate ";
