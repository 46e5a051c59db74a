// The words that settle a decision: what the user or the agent said. Output of tools settles nothing.
import type { Origin } from "../../core/memory.ts";
import { plainWords } from "../../core/words.ts";
import { isAgreement } from "../extract/decisions.ts";
import type { Piece } from "./cited.ts";
import { line, sharedWords } from "./grounding.ts";

const QUOTE_CHARS = 400;

export interface Quote {
  text: string;
  origin: Origin;
}

/** Shorter quotes ("yes", "Redis") settle something only if they are the user's whole answer, or agree. */
const MIN_QUOTE_WORDS = 3;
/** At least this share of the words in a decision's title must occur in what was said. */
const DECISION_SHARE = 0.4;

/** The words that settled a decision, if they were said in the cited evidence. Output of tools settles nothing. */
export function settledBy(
  raw: unknown,
  title: string,
  pieces: readonly Piece[],
  conversation: string,
): Quote | undefined {
  if (sharedWords(title, conversation) < DECISION_SHARE) return undefined;
  const quote = findQuote(raw, pieces);
  // "Look at the cache" settles nothing about Redis: the agent said the rest.
  const isSettled =
    quote?.origin !== "user" || isAnswered(quote.text, pieces) || sharedWords(title, plainWords(quote.text)) > 0;
  return quote && !isSettled ? { ...quote, origin: "assistant" } : quote;
}

/** True for a short prompt or answer as a whole, and for "yes". */
function isAnswered(quote: string, pieces: readonly Piece[]): boolean {
  const words = plainWords(quote);
  const isWhole = ({ replies }: Piece): boolean => !isLong(words) && replies.includes(words);
  return pieces.some((piece) => isWhole(piece) || (isAgreement(quote) && piece.asked.startsWith(words)));
}

function isLong(words: string): boolean {
  return words.trim().split(" ").length >= MIN_QUOTE_WORDS;
}

/** The quote, if one of the pieces says it. */
function findQuote(raw: unknown, pieces: readonly Piece[]): Quote | undefined {
  const text = line(raw, QUOTE_CHARS).replace(/^["“„'«]+|["”'»]+$/g, "");
  const words = plainWords(text);
  if (words.trim() === "") return undefined;
  if (isAnswered(text, pieces) || (isLong(words) && pieces.some(({ asked }) => asked.includes(words))))
    return { text, origin: "user" };
  const isOwn = pieces.some(({ said, printed }) => said.includes(words) && !printed.includes(words));
  return isLong(words) && isOwn ? { text, origin: "assistant" } : undefined;
}

/** Adds the quote to the facts, unless the observation has its words already. */
export function withQuote(facts: string[], quote: Quote | undefined, said: string): string[] {
  if (quote === undefined || plainWords(said).includes(plainWords(quote.text))) return facts;
  return [`“${quote.text}” (${quote.origin === "user" ? "the user" : "the agent"})`, ...facts];
}
