// BERT's uncased WordPiece tokenizer: lower case, no accents, words split into the longest known pieces. "[SEP]" in a
// text is an ordinary word, because texts are untrusted.
import type { IdOf } from "./vocabulary.ts";

export type Tokenizer = (text: string) => number[];

/** The rest of a longer text is ignored. This is more than the model reads. */
const MAX_CHARS = 32_768;
/** Longer words become [UNK], as in the reference. */
const MAX_WORD_CHARS = 100;

const REMOVED = /[\0\uFFFD]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
const IDEOGRAPHS =
  /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/gu;
const WORDS = /[!-/:-@[-`{-~\p{P}]|[^\s!-/:-@[-`{-~\p{P}]+/gu;

/** The tokenizer returns at most `maxTokens` ids, including [CLS] and [SEP]. */
export function createTokenizer(idOf: IdOf, maxTokens: number): Tokenizer {
  const special = (name: string): number => {
    const id = idOf(name);
    if (id === undefined) throw new Error(`The vocabulary has no ${name}`);
    return id;
  };
  const [begin, end, unknown] = [special("[CLS]"), special("[SEP]"), special("[UNK]")];
  return (text) => {
    const tokens = [begin];
    for (const [word] of normaliseText(text).matchAll(WORDS)) {
      if (tokens.length >= maxTokens) break;
      tokens.push(...piecesOf(word, idOf, unknown));
    }
    return [...tokens.slice(0, maxTokens - 1), end];
  };
}

function normaliseText(text: string): string {
  return (
    text
      .slice(0, MAX_CHARS)
      .replace(REMOVED, "")
      .replace(IDEOGRAPHS, " $& ")
      .normalize("NFD")
      .replace(/\p{Mn}/gu, "")
      // The reference lower-cases each letter alone, so "Σ" never becomes a final "ς".
      .replaceAll("Σ", "σ")
      .toLowerCase()
  );
}

function piecesOf(word: string, idOf: IdOf, unknown: number): number[] {
  const letters = [...word];
  if (letters.length > MAX_WORD_CHARS) return [unknown];
  const pieces: number[] = [];
  for (let start = 0; start < letters.length;) {
    let end = letters.length;
    let id: number | undefined;
    for (; end > start; end--) {
      id = idOf((start === 0 ? "" : "##") + letters.slice(start, end).join(""));
      if (id !== undefined) break;
    }
    if (id === undefined) return [unknown];
    pieces.push(id);
    start = end;
  }
  return pieces;
}
