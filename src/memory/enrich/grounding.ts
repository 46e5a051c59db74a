// Whether what is claimed can be in the record at all: names, paths and numbers that are nowhere in it were made up.
import { STOP_WORDS, wordsOf } from "../../core/words.ts";

/** Words that name something: with a digit, an underscore, a slash, a dot inside, or a capital inside. */
const SPECIFIC = /[\p{L}\d_./@-]*(?:[\p{Ll}][\p{Lu}]|[_/\d]|[\p{L}\d]\.[\p{L}\d])[\p{L}\d_./@-]*/gu;
const MIN_CHARS = 3;
/** Of so few a model may have said one in its own way. */
const MIN_SPECIFICS = 2;
const WANTED_SHARE = 0.5;

/** Of the words that say something, how many stand in the text as well, from 0 to 1. */
export function sharedWords(claim: string, text: string): number {
  const said = new Set(wordsOf(text.toLowerCase()));
  const words = [...new Set(wordsOf(claim.toLowerCase()))].filter(
    (word) => word.length >= MIN_CHARS && !STOP_WORDS.has(word),
  );
  return words.length === 0 ? 0 : words.filter((word) => said.has(word)).length / words.length;
}

export function isGrounded(claim: string, record: string): boolean {
  const specifics = new Set([...claim.matchAll(SPECIFIC)].map(([word]) => bare(word)));
  specifics.delete("");
  if (specifics.size < MIN_SPECIFICS) return true;
  const found = [...specifics].filter((word) => record.includes(word)).length;
  return found / specifics.size >= WANTED_SHARE;
}

function bare(word: string): string {
  const name = word.toLowerCase().replace(/^[./@-]+|[./@-]+$/g, "");
  return name.length < MIN_CHARS ? "" : name;
}
