// Words that so many turns of a project hold that they say nothing about any of them: who speaks, what the project is called.
import { quoted } from "../../core/query.ts";
import { scopeWord } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { countRows, estimateRows, idRange, OWN_TALK, TALK } from "./fts-index.ts";

const COMMON_SHARE = 0.25;
/** In a smaller project any word may be in so many turns by chance. */
const MIN_TURNS = 40;
/** Up to here rows are counted, beyond they are estimated, for all projects together. */
const MAX_COUNTED_TURNS = 10_000;
/** Of a longer text each word says little. */
const MAX_WORDS = 24;

export function commonWords(db: Db, words: readonly string[], project: number | undefined): string[] {
  const ids = idRange(db, TALK);
  const scope = project === undefined ? undefined : `scope:${quoted(scopeWord(project))}`;
  const turns = scope === undefined ? ids.last - ids.first + 1 : countRows(db, TALK, scope, MAX_COUNTED_TURNS + 1);
  if (turns < MIN_TURNS || words.length > MAX_WORDS) return [];
  if (turns > MAX_COUNTED_TURNS) {
    const span = ids.last - ids.first + 1;
    return words.filter((word) => estimateRows(db, TALK, quoted(word), ids) >= span * COMMON_SHARE);
  }
  const enough = Math.ceil(turns * COMMON_SHARE);
  const within = scope === undefined ? "" : `${scope} AND `;
  return words.filter((word) => countRows(db, TALK, within + OWN_TALK + quoted(word), enough) >= enough);
}
