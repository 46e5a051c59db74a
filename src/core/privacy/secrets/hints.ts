// Finds which secrets a text may hold, all in one pass over the low bytes of its letters, two at a time: a table says for
// each pair and the letter after it whether a hint could be there. Takes a tenth of the time of a look for each hint.
import { LABEL_WORDS } from "./labels.ts";
import type { Secret } from "./secret.ts";
import { SECRETS } from "./secrets.ts";

/** A text without any of these words has no credential by its name. */
export const SECRET_WORDS = LABEL_WORDS;
/** The same of a word that has to end there: `_path` is everywhere. */
export const LAST_WORD = "_pat";

/** What is worth a closer look. */
export interface Suspicion {
  /** In the order of the table, those without hints last. */
  secrets: readonly Secret[];
  /** Whether anything hints at a secret. */
  isHinted: boolean;
  /** Where one of the words stands, in any case. */
  words: readonly number[];
}

export function suspects(text: string): Suspicion {
  const { marks, traces } = (table ??= makeTable());
  const { bytes, pairs } = lettersOf(text);
  const end = (text.length + 1) >> 1;
  const found: Found = { rows: undefined, words: NO_WORDS, isWorded: false, isDotted: false };
  for (let at = nextMark(marks, pairs, 0, end); at < end; at = nextMark(marks, pairs, at + 1, end)) {
    const place = 2 * at;
    found.isDotted ||= isDotted(bytes, place) || isDotted(bytes, place + 1);
    const near = traces.get(pairs[at] ?? 0) ?? NO_TRACES;
    // By index: here an iterator takes twice the time.
    for (let index = 0; index < near.length; index++) {
      const trace = near[index] as Trace;
      const start = place - trace.offset;
      if (stands(bytes, start, text.length, trace)) note(found, trace, start, text);
    }
  }
  const { rows, words, isWorded } = found;
  const unhinted = UNHINTED[(isWorded ? 1 : 0) + (found.isDotted ? 2 : 0)] ?? [];
  if (rows === undefined) return { secrets: unhinted, isHinted: isWorded, words };
  const hinted = [...rows].sort((a, b) => a - b).flatMap((row) => SECRETS[row] ?? []);
  return { secrets: [...hinted, ...unhinted], isHinted: true, words };
}

/** Those that no hint tells of: in a text without words, with words, with dots, with both. */
const UNHINTED = [false, true].flatMap((hasDots) =>
  [false, true].map((hasWords) =>
    SECRETS.filter(({ hints, worded, dotted }) => hints === undefined && (!worded || hasWords) && (!dotted || hasDots)),
  ),
);

interface Found {
  /** Places in the table of secrets. */
  rows: Set<number> | undefined;
  words: number[];
  isWorded: boolean;
  isDotted: boolean;
}

const NO_WORDS: number[] = [];
const NO_TRACES: Trace[] = [];

function note(found: Found, { letters, rows, kind, whole }: Trace, start: number, text: string): void {
  if (whole !== undefined && text.slice(start, start + whole.length).toLowerCase() !== whole) return;
  switch (kind) {
    case "hint":
      found.rows ??= new Set();
      for (const row of rows) found.rows.add(row);
      return;
    case "word":
      found.isWorded = true;
      break;
    case "last-word":
      found.isWorded ||= !/\w/.test(text.charAt(start + letters.length));
  }
  if (found.words === NO_WORDS) found.words = [start];
  else found.words.push(start);
}

/** Short, so that it runs fast: nearly all of a text passes here. */
function nextMark(marks: Uint8Array, pairs: Uint16Array, from: number, end: number): number {
  let next = pairs[from] ?? 0;
  for (let at = from; at < end; at++) {
    const pair = next;
    next = pairs[at + 1] ?? 0;
    if (marks[pair | ((next & THIRD_MASK) << 16)] !== 0) return at;
  }
  return end;
}

const DOT = 0x2e;
/** From the first dot of a dotted secret to the second. */
const DOT_DISTANCE = 7;

function isDotted(bytes: Buffer, place: number): boolean {
  if (bytes[place] !== DOT || bytes[place + DOT_DISTANCE] !== DOT) return false;
  return /^[\w-]+$/.test(bytes.toString("latin1", place + 1, place + DOT_DISTANCE));
}

interface Trace {
  /** Words count in any case. */
  kind: "hint" | "word" | "last-word";
  letters: Uint8Array;
  /** How far after its beginning the pair stands. */
  offset: number;
  /** Places in the table of secrets. */
  rows: readonly number[];
  /** Of letters whose low byte is another letter's: "令牌" looks like "令L". */
  whole?: string;
}

interface Table {
  /** 1 for a pair of letters, and what counts of a third, that may be part of a hint. */
  marks: Uint8Array;
  /** By the pair. */
  traces: Map<number, Trace[]>;
}

/** Of the third letter so much counts that the table stays small. */
const THIRD_MASK = 0xf;

let table: Table | undefined;

interface Letters {
  bytes: Buffer;
  pairs: Uint16Array;
}

/** Kept from text to text; longer ones are seldom. */
const ROOM_BYTES = 256 * 1024;
let room: Letters | undefined;

/** The low byte of every letter. Others than Latin ones may look like a hint then, which costs a look and no more. */
function lettersOf(text: string): Letters {
  const needed = text.length + 2 * DOT_DISTANCE;
  const letters = needed <= ROOM_BYTES ? (room ??= makeRoom(ROOM_BYTES)) : makeRoom(needed);
  letters.bytes.write(text, "latin1");
  letters.bytes.fill(0, text.length, needed);
  return letters;
}

function makeRoom(size: number): Letters {
  const memory = new ArrayBuffer(size + (size & 1));
  return { bytes: Buffer.from(memory), pairs: new Uint16Array(memory) };
}

/** What a small letter has and a capital has not. */
const CASE_BIT = 0x20;

function stands(bytes: Uint8Array, start: number, end: number, { letters, kind }: Trace): boolean {
  if (start < 0 || start + letters.length > end) return false;
  for (let place = 0; place < letters.length; place++) {
    const letter = bytes[start + place] ?? 0;
    if (letter !== letters[place] && (kind === "hint" || (letter | CASE_BIT) !== letters[place])) return false;
  }
  return true;
}

/** Made by the first text, in about a millisecond: a hook pays for it. */
function makeTable(): Table {
  const made: Table = { marks: new Uint8Array((THIRD_MASK + 1) << 16), traces: new Map() };
  for (const [hint, rows] of rowsByHint()) addTraces(made, "hint", hint, rows);
  for (const word of SECRET_WORDS) addTraces(made, "word", word);
  addTraces(made, "last-word", LAST_WORD);
  for (let letter = 0; letter <= LAST_BYTE; letter++) {
    mark(made, letter, DOT, undefined);
    mark(made, DOT, letter, undefined);
  }
  return made;
}

function rowsByHint(): Map<string, number[]> {
  const byHint = new Map<string, number[]>();
  for (const [row, { hints = [] }] of SECRETS.entries()) {
    for (const hint of hints) {
      const rows = byHint.get(hint);
      if (rows === undefined) byHint.set(hint, [row]);
      else rows.push(row);
    }
  }
  return byHint;
}

/** Two for each: a hint at an even place has its pairs at even distances from its beginning, one at an odd place at odd ones. */
function addTraces(made: Table, kind: Trace["kind"], hint: string, rows: readonly number[] = []): void {
  const letters = Buffer.from(hint, "latin1");
  for (const offset of [rarestPair(hint, 0), hint.length === 2 ? -1 : rarestPair(hint, 1)]) {
    const trace: Trace = { kind, letters, offset, rows, ...(/[^\0-\xff]/.test(hint) ? { whole: hint } : {}) };
    const [from, to] = lettersAt(trace, offset);
    const [secondFrom, secondTo] = lettersAt(trace, offset + 1);
    for (let first = from; first <= to; first += stepTo(from, to)) {
      for (let second = secondFrom; second <= secondTo; second += stepTo(secondFrom, secondTo)) {
        addTrace(made, mark(made, first, second, letters[offset + 2]), trace);
      }
    }
  }
}

/** The first and the last of the letters that fit at this place: one, its two cases, or any before the hint. */
function lettersAt({ kind, letters }: Trace, place: number): [number, number] {
  const letter = letters[place];
  if (letter === undefined) return [0, LAST_BYTE];
  const hasCases = kind !== "hint" && letter >= 0x61;
  return [hasCases ? letter & ~CASE_BIT : letter, hasCases ? letter | CASE_BIT : letter];
}

function stepTo(from: number, to: number): number {
  return to - from === CASE_BIT ? CASE_BIT : 1;
}

function addTrace({ traces }: Table, pair: number, trace: Trace): void {
  const near = traces.get(pair);
  if (near === undefined) traces.set(pair, [trace]);
  else near.push(trace);
}

const LAST_BYTE = 0xff;
const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Returns the pair as a number, as this machine reads it. */
function mark({ marks }: Table, first: number, second: number, third: number | undefined): number {
  const pair = IS_LITTLE_ENDIAN ? first | (second << 8) : (first << 8) | second;
  // Both cases of a letter are the same in what counts of it.
  if (third !== undefined) marks[pair | ((third & THIRD_MASK) << 16)] = 1;
  else for (let any = 0; any <= THIRD_MASK; any++) marks[pair | (any << 16)] = 1;
  return pair;
}

/** Where in the hint the pair stands that ordinary text has least of, at an even or odd distance from the beginning. */
function rarestPair(hint: string, parity: 0 | 1): number {
  let best: number = parity;
  let least = Infinity;
  for (let place: number = parity; place === parity || place + 2 <= hint.length; place += 2) {
    const pair = commonness(hint, place);
    const rank = Math.min(pair, commonness(hint, place + 1)) + pair / COMMON_PAIRS.size;
    if (rank >= least) continue;
    least = rank;
    best = place;
  }
  return best;
}

function commonness(hint: string, place: number): number {
  // The last one has no third letter to tell it by.
  if (place + 2 > hint.length) return COMMON_PAIRS.size;
  const pair = hint.slice(place, place + 2);
  return COMMON_PAIRS.get(pair) ?? (pair.includes(" ") ? COMMON_PAIRS.size : 0);
}

/** Of text and code, the commonest first, which gets the highest number. */
const COMMON_PAIRS = ranks(
  "re on es te at en in er nt or ti st co de al th ed se ge le an it io ro he ar il ts to ng nd ri ta ns me ag pa ra ec om as ac ct is et " +
    "ch li va fi ex ce ss tr ut un ha ev ea -- ne pe ma lo ou la ve di nc ll ad su ur pr od mp ul rs po ck pl ic us lu em id sh ca ol el pt " +
    "fo ai ap si am oc ho rc na da ld ep ty ua ot no ry ke vi ir rt rr so ru lt gi cr im mi tu ow ni if cl ip wo op ue pp mo ef be ig mm ie " +
    "pu do sp ls ey bu au pi ba fa xt hi sc yp ia cu wi ui ly ov og ee ps iv os xp ab oo bl um fr rn gr tt bo ki ub up ew // sk rg rd ok",
);

function ranks(pairs: string): Map<string, number> {
  const list = pairs.split(" ");
  return new Map(list.map((pair, index) => [pair, list.length - index]));
}
