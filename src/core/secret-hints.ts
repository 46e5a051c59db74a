// Finds which secrets a text hints at, all in one pass: a table says for each three letters whether a hint could be
// there. Takes a third of the time of one regular expression for all of them.
import type { Secret } from "./secret.ts";
import { SECRETS } from "./secrets.ts";

interface Table {
  /** 1 where three letters with this hash are part of a hint. */
  marks: Uint8Array;
  /** By hash the hints to look at, and how far before the three letters each begins. */
  hints: (Hint[] | undefined)[];
  /** Too short for the table. */
  short: Hint[];
}

interface Hint {
  hint: string;
  offset: number;
  /** Places in the table of secrets. */
  rows: number[];
}

const GRAM = 3;
const HASH_MASK = 0x7fff;

/** In the order of the table. */
export function hintsFound(text: string): Secret[] {
  const { marks, hints, short } = (table ??= makeTable());
  let found: Set<number> | undefined;
  const add = (rows: readonly number[]): void => {
    found ??= new Set();
    for (const row of rows) found.add(row);
  };
  for (const { hint, rows } of short) if (text.includes(hint)) add(rows);
  let hash = 0;
  for (let end = 0; end < text.length; end++) {
    hash = roll(hash, text.charCodeAt(end));
    if (marks[hash] !== 1) continue;
    for (const { hint, offset, rows } of hints[hash] ?? []) {
      if (text.startsWith(hint, end + 1 - GRAM - offset)) add(rows);
    }
  }
  if (found === undefined) return NONE;
  return [...found].sort((a, b) => a - b).flatMap((row) => SECRETS[row] ?? []);
}

const NONE: Secret[] = [];

let table: Table | undefined;

/** Five bits a letter: three letters fill the hash, and a fourth pushes the first one out. */
function roll(hash: number, code: number): number {
  return ((hash << 5) ^ code) & HASH_MASK;
}

function makeTable(): Table {
  const made: Table = { marks: new Uint8Array(HASH_MASK + 1), hints: Array.from({ length: HASH_MASK + 1 }), short: [] };
  for (const [hint, rows] of rowsByHint()) {
    if (hint.length < GRAM) {
      made.short.push({ hint, offset: 0, rows });
      continue;
    }
    const offset = rarestPlace(hint);
    const hash = hashAt(hint, offset);
    made.marks[hash] = 1;
    (made.hints[hash] ??= []).push({ hint, offset, rows });
  }
  return made;
}

function rowsByHint(): Map<string, number[]> {
  const rows = new Map<string, number[]>();
  for (const [row, { hints = [] }] of SECRETS.entries()) {
    for (const hint of hints) rows.set(hint, [...(rows.get(hint) ?? []), row]);
  }
  return rows;
}

const COMMON = "etaoinsrhl ";

/** Where the three letters stand that ordinary text has least of. */
function rarestPlace(hint: string): number {
  const plain = plainHashes();
  let best = 0;
  let least = Infinity;
  for (let place = 0; place + GRAM <= hint.length; place++) {
    let cost = 4 * (plain.get(hashAt(hint, place)) ?? 0);
    for (let at = place; at < place + GRAM; at++) if (!COMMON.includes(hint.charAt(at))) cost -= 1;
    if (cost < least) [best, least] = [place, cost];
  }
  return best;
}

function hashAt(text: string, from: number): number {
  let hash = 0;
  for (let place = from; place < from + GRAM; place++) hash = roll(hash, text.charCodeAt(place));
  return hash;
}

/** What ordinary text and code are full of: three letters in it, or with the same hash, make a bad mark. */
const PLAIN =
  "the of and that for with this from are not was have will all can has use file path name type test value error output config " +
  "identifier document return const function import export string number null true false undefined await async class interface " +
  'public default if (x) { } => === ; /* */ // --- ### *** ___ ... "id": 0, "src/app.ts": {"name": "value"}, <div class=""> [1, 2] ' +
  "git log README.md package.json node_modules 2026-01-01T00:00:00 http://localhost:8080/api key search heard current curl " +
  "Access All Error File The This Type AGENT PASS API ID TODO";

let plain: Map<number, number> | undefined;

function plainHashes(): Map<number, number> {
  if (plain !== undefined) return plain;
  plain = new Map();
  for (let place = 0; place + GRAM <= PLAIN.length; place++) {
    const hash = hashAt(PLAIN, place);
    plain.set(hash, (plain.get(hash) ?? 0) + 1);
  }
  return plain;
}
