// Keeps an answer within its tokens: pieces go in as a whole or not at all, the ones that matter most first.
import { estimateTokens } from "../core/tokens.ts";

export interface Piece {
  text: string;
  /** The lowest go in first; left out, they go in as they stand. */
  rank?: number;
}

export interface AnswerParts {
  head: string;
  /** In the order they are shown. */
  pieces: readonly Piece[];
  /** Told how many pieces there was no room for. */
  foot(left: number): string;
}

/** Head and foot are short and always there. */
export function layOut({ head, pieces, foot }: AnswerParts, maxTokens: number): string {
  const order = pieces
    .map(({ text, rank }, index) => ({ index, rank: rank ?? index, tokens: estimateTokens(text) + 1 }))
    .sort((a, b) => a.rank - b.rank);
  let room = maxTokens - estimateTokens(head) - estimateTokens(foot(pieces.length)) - 2;
  let count = 0;
  for (const { tokens } of order) {
    if (tokens > room) break;
    room -= tokens;
    count += 1;
  }
  // The whole may be a little more than the sum of its parts.
  for (; ; count--) {
    const chosen = new Set(order.slice(0, count).map(({ index }) => index));
    const shown = pieces.filter((_, index) => chosen.has(index)).map(({ text }) => text);
    const text = together(head, ...shown, foot(pieces.length - count));
    if (count > 0 && estimateTokens(text) <= maxTokens) return text;
    if (count === 0)
      return withBeginning(pieces[order[0]?.index ?? 0]?.text ?? "", { head, foot: foot(pieces.length) }, maxTokens);
  }
}

/** Where not even the best has room, as many of its lines as have: an answer without an id leads nowhere. */
function withBeginning(piece: string, around: { head: string; foot: string }, maxTokens: number): string {
  const lines = piece.split("\n");
  for (let count = lines.length - 1; count > 0; count--) {
    const text = together(around.head, lines.slice(0, count).join("\n"), around.foot);
    if (estimateTokens(text) <= maxTokens) return text;
  }
  return together(around.head, around.foot);
}

function together(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

/** Of a text that is too long its beginning and its end, with a mark between; `frame` is what is put around it. */
export function cutToTokens(text: string, maxTokens: number, frame: (text: string) => string = (one) => one): string {
  const whole = frame(text);
  const tokens = estimateTokens(whole);
  if (tokens <= maxTokens) return whole;
  for (let chars = Math.floor((text.length * maxTokens) / tokens); ; chars = Math.floor(chars * 0.85)) {
    const tail = Math.floor(chars / 4);
    const head = text.slice(0, chars - tail).toWellFormed();
    const mark = `\n[… ${text.length - chars} characters left out …]\n`;
    const cut = frame(head + mark + (tail === 0 ? "" : text.slice(-tail).toWellFormed()));
    if (chars < 20 || estimateTokens(cut) <= maxTokens) return cut;
  }
}

/** Texts longer than this are measured by their beginning. */
const MEASURED_CHARS = 8_000;

export function roughTokens(text: string): number {
  if (text.length <= MEASURED_CHARS) return estimateTokens(text);
  return Math.round((estimateTokens(text.slice(0, MEASURED_CHARS)) * text.length) / MEASURED_CHARS);
}
