// Checks what a model wrote against the evidence that it cites: names, numbers and paths must occur there, and text
// that reads like an instruction must come from the user: an agent may repeat what a tool printed.
import { asArray, asString } from "../../core/json.ts";
import { isEnglish } from "../extract/language.ts";
import { filterText } from "../../core/privacy/filter.ts";
import { looksLikeInstruction } from "../../core/privacy/fence.ts";
import { sentencesOf } from "../../core/prose.ts";
import { oneLine, plainLines, truncate } from "../../core/text.ts";
import { plainWords, STOP_WORDS, wordsOf } from "../../core/words.ts";

/** How many parts of a reply passed the checks and how many were dropped. */
export interface Tally {
  kept: number;
  dropped: number;
}

/** What the user and the agent said and did, and what tools printed, as plain words. */
export interface Sources {
  own: string;
  printed: string;
}

/** What a part of a reply is checked against. */
export interface Ground {
  /** All cited evidence, in lower case. */
  text: string;
  /** What the user wrote, in lower case. */
  asked: string;
  /** If given, what only tools printed is dropped. */
  sources?: Sources;
  tally: Tally;
}

/** Names, paths and numbers: `parseLine`, `max_age`, `src/a.ts`, `8080`. */
const SPECIFIC = /[\p{L}\d_./@#-]*(?:[\p{Ll}][\p{Lu}]|[_/\d]|[\p{L}\d]\.[\p{L}\d])[\p{L}\d_./@#-]*/gu;
const MIN_CHARS = 3;
/** "read/write": two plain words, not a path. */
const PLAIN_PAIR = /^\p{L}+(?:\/\p{L}+)+$/u;

/** True if every name, number and path of the claim occurs in the text, which is in lower case. */
export function isGrounded(claim: string, text: string): boolean {
  return specificsOf(claim).every((name) => {
    if (/^\d+$/.test(name)) return hasNumber(text, name);
    if (text.includes(name)) return true;
    return PLAIN_PAIR.test(name) && name.split("/").every((part) => text.includes(part));
  });
}

/** "1,000" and "1000" are the same number; 42 does not occur in 420. */
function hasNumber(text: string, digits: string): boolean {
  const isIn = (where: string): boolean => new RegExp(`(?<!\\d)${digits}(?!\\d)`).test(where);
  return isIn(text) || (digits.length > MIN_CHARS && isIn(text.replace(/(\d)[,_](?=\d{3})/g, "$1")));
}

function specificsOf(claim: string): string[] {
  const plain = claim.replace(/(\d),(?=\d{3}\b)/g, "$1");
  const names = [...plain.matchAll(SPECIFIC)].map(([word]) =>
    word.toLowerCase().replace(/^[./@#-]+|[./@#-]+$|['’]s$/g, ""),
  );
  const specific = names.filter((name) => name.length >= (/^\d+$/.test(name) ? 1 : /\d/.test(name) ? 2 : MIN_CHARS));
  return [...new Set([...specific, ...properNames(claim)])];
}

/**
 * Within a sentence: "stored in Redis" -> "redis". The first word of a sentence has a capital anyway, and acronyms such as
 * "JWT" are common knowledge.
 */
const CAPITALISED = /(?<=[\p{Ll}\d,;)] )\p{Lu}\p{Ll}[\p{L}\d]+/gu;
/** More are a title in capitals: "Fix The Login Flow" */
const MAX_CAPITALISED = 0.4;

/** Only of English: German nouns have capitals, too. */
function properNames(claim: string): string[] {
  const names = [...claim.matchAll(CAPITALISED)].map(([name]) => name.toLowerCase());
  const isTitle = names.length > 2 && names.length > claim.split(" ").length * MAX_CAPITALISED;
  return isTitle || !isEnglish(claim) ? [] : names;
}

/** Instructions are allowed only if the user wrote most of their words. */
const OWN_SHARE = 0.75;
/** Four words in a row are a quotation. */
const QUOTED_WORDS = 4;
const PRINTED_SHARE = 0.5;

/** True if a tool printed half of the text or more, word for word, and neither the user nor the agent said it. */
export function isOnlyPrinted(claim: string, { own, printed }: Sources): boolean {
  const words = plainWords(claim).trim().split(" ");
  const quoted = words.slice(QUOTED_WORDS - 1).filter((_, at) => {
    const part = ` ${words.slice(at, at + QUOTED_WORDS).join(" ")} `;
    return printed.includes(part) && !own.includes(part);
  });
  return quoted.length > 0 && quoted.length >= (words.length - QUOTED_WORDS + 1) * PRINTED_SHARE;
}

/** True if the sentence may be kept. Counts it. */
export function passes(sentence: string, ground: Ground): boolean {
  const isOwn = !looksLikeInstruction(sentence) || sharedWords(sentence, ground.asked) >= OWN_SHARE;
  const isPrinted = ground.sources !== undefined && isOnlyPrinted(sentence, ground.sources);
  const isKept = isOwn && !isPrinted && isGrounded(sentence, ground.text);
  if (isKept) ground.tally.kept++;
  else ground.tally.dropped++;
  return isKept;
}

/** The lines and sentences of a text that pass. */
export function passingText(text: string, ground: Ground): string {
  return text
    .split("\n")
    .map((one) =>
      sentencesOf(one)
        .filter((sentence) => passes(sentence, ground))
        .join(" "),
    )
    .filter(Boolean)
    .join("\n");
}

/** The share (0 to 1) of the claim's words, without stop words, that occur in the text. */
export function sharedWords(claim: string, text: string): number {
  const known = new Set(wordsOf(text));
  const words = [...new Set(wordsOf(claim.toLowerCase()))].filter(
    (word) => word.length >= MIN_CHARS && !STOP_WORDS.has(word),
  );
  return words.length === 0 ? 0 : words.filter((word) => known.has(word)).length / words.length;
}

/** Filters secrets: a model may repeat one, or invent text that looks like one. */
export function line(value: unknown, maxChars: number): string {
  return oneLine(filterText(asString(value) ?? ""), maxChars);
}

export function lines(value: unknown, maxChars: number): string {
  return truncate(plainLines(filterText(asString(value) ?? "")).trim(), maxChars);
}

/** The non-empty texts of a list. */
export function listOf(value: unknown, maxChars: number): string[] {
  return asArray(value)
    .map((one) => line(one, maxChars))
    .filter(Boolean);
}
