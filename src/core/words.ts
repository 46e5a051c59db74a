// Splits text into words as FTS5's tokeniser unicode61 does. Splits camelCase words. Lists English stop words.
import { DAY_MS } from "./time.ts";

/** Compiling the Unicode expressions takes a millisecond, so they are used only for text beyond ASCII. */
const ASCII = /^[\0-\x7f]*$/;
/** A quick check for scripts without spaces. Most text has none, so the slow expression does not run. */
const MAYBE_UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\ud840-\ud88f]/;

export function wordsOf(text: string): string[] {
  if (ASCII.test(text)) return text.match(/[A-Za-z0-9]+/g) ?? [];
  return spaceOut(text).match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? [];
}

/** "Use `tabs`, please." -> " use tabs please ": the spaces let `includes` match whole words. */
export function plainWords(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
}

/** The word in the scope column of every row of a project. */
export function scopeWord(project: number): string {
  return `cmemproject${project}`;
}

/** The word in the scope column of every row of a day. */
export function dayWord(at: number): string {
  return `cmemday${Math.floor(at / DAY_MS)}`;
}

/** Puts spaces around each character of scripts without spaces. Search then finds a word as a phrase. */
export function spaceOut(text: string): string {
  if (!MAYBE_UNSPACED.test(text)) return text;
  return text.replace(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu,
    " $& ",
  );
}

/** "parseJson" -> ["parse", "Json"], "parse" -> []. FTS5 itself splits snake_case and paths. */
export function partsOf(word: string): string[] {
  if (ASCII.test(word)) {
    return /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/.test(word)
      ? word.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
      : [];
  }
  if (!/[\p{Ll}\p{N}]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u.test(word)) return [];
  return word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
}

/** Unicode blocks with non-ASCII capitals. */
const MAYBE_OTHER_CAPITALS =
  /[\u00c0-\u00de\u0100-\u058f\u10a0-\u10ff\u13a0-\u13ff\u1c80-\u1cbf\u1e00-\u1fff\u2102-\u2188\u2c00-\u2d2f\ua640-\ua7ff\uff21-\uff3a\ud801-\ud83a]/;
/** A camelCase border in a text whose capitals are all ASCII. */
const MAYBE_BORDER = /[a-z0-9\u0080-\uffff][A-Z]|[A-Z][A-Z][a-z\u0080-\uffff]/g;
const REST_OF_WORD = /[A-Za-z0-9\u0080-\uffff]*/y;

/** The parts of all camelCase words. Searching for borders is four times faster than checking every word. */
export function camelParts(text: string, maxWordChars: number): string[] {
  const parts: string[] = [];
  if (MAYBE_OTHER_CAPITALS.test(text)) {
    addParts(parts, text, maxWordChars);
    return parts;
  }
  let from = 0;
  MAYBE_BORDER.lastIndex = 0;
  for (let border = MAYBE_BORDER.exec(text); border !== null; border = MAYBE_BORDER.exec(text)) {
    let start = border.index;
    while (start > from && isMaybeWord(text.charCodeAt(start - 1))) start -= 1;
    REST_OF_WORD.lastIndex = border.index;
    REST_OF_WORD.test(text);
    from = MAYBE_BORDER.lastIndex = REST_OF_WORD.lastIndex;
    const word = text.slice(start, from);
    if (!ASCII_ONLY.test(word)) addParts(parts, word, maxWordChars);
    else if (word.length <= maxWordChars) addAsciiParts(parts, word);
  }
  return parts;
}

const ASCII_ONLY = /^[A-Za-z0-9]*$/;

/** Like `partsOf`, but for ASCII words and ten times faster. */
function addAsciiParts(parts: string[], word: string): void {
  let from = 0;
  for (let index = 1; index < word.length; index++) {
    if (!isCapital(word.charCodeAt(index))) continue;
    const isBorder = !isCapital(word.charCodeAt(index - 1)) || isSmall(word.charCodeAt(index + 1));
    if (!isBorder) continue;
    parts.push(word.slice(from, index));
    from = index;
  }
  if (from > 0) parts.push(word.slice(from));
}

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isSmall(code: number): boolean {
  return code >= 97 && code <= 122;
}

function addParts(parts: string[], text: string, maxWordChars: number): void {
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (word.length <= maxWordChars) parts.push(...partsOf(word));
  }
}

function isMaybeWord(code: number): boolean {
  return code >= 128 || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** Whether a text in lower case has the word or another form of it: "configured" for "configure". */
export function hasWord(text: string, word: string): boolean {
  const stem = stemOf(word);
  for (let at = text.indexOf(stem); at !== -1; at = text.indexOf(stem, at + 1)) {
    // A longer stem may also be within a camelCase name; "log" within "dialog" is another word.
    if (stem.length >= MIN_INNER || at === 0 || !isAlphanumeric(text.charCodeAt(at - 1))) return true;
  }
  return false;
}

const ENDING = /(?:ations?|ings?|ions?|ers?|ed|es|ly|s|e)$/;
const MIN_STEM = 4;
const MIN_INNER = 6;

function stemOf(word: string): string {
  const stem = word.replace(ENDING, "");
  return stem.length >= MIN_STEM ? stem : word;
}

function isAlphanumeric(code: number): boolean {
  return code >= 128 || (code >= 48 && code <= 57) || (code >= 97 && code <= 122);
}

export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about after all also an and any are as at be because been before but by can could did do does due for from had has have how i if in " +
    "instead into is it its just let me more most my no not of on only or other our out over please same should so some such than that the " +
    "their them then there these they this those to up us use used using via was we were what when where which who why will with would you your"
  ).split(" "),
);

/** The words that tell what a text is about, in lower case: without stop words and words of one or two letters. */
export function contentWords(text: string): Set<string> {
  return new Set(
    wordsOf(text)
      .map((word) => word.toLowerCase())
      .filter((word) => word.length > 2 && !STOP_WORDS.has(word)),
  );
}
