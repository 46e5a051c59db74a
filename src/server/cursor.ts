// A position in the event stream as an event's id, so that a subscriber can resume.
import type { NewestIds } from "../store/reads/counts.ts";

export interface Cursor extends Omit<NewestIds, "messages"> {
  /** Ends of sessions up to this time were announced. */
  endedAt: number;
}

const LETTERS: readonly (readonly [keyof Cursor, string])[] = [
  ["sessions", "s"],
  ["prompts", "p"],
  ["tool_uses", "t"],
  ["observations", "o"],
  ["summaries", "u"],
  ["endedAt", "e"],
];
const FORM = new RegExp(`^${LETTERS.map(([, letter]) => `${letter}(\\d{1,15})`).join("")}$`);

export function cursorText(cursor: Cursor): string {
  return LETTERS.map(([key, letter]) => `${letter}${cursor[key]}`).join("");
}

/** Undefined if malformed, or ahead of the database: it was replaced. */
export function parseCursor(text: string | undefined, newest: Cursor): Cursor | undefined {
  const match = FORM.exec(text ?? "");
  if (match === null) return undefined;
  const numbers = LETTERS.map(([key], index) => [key, Number(match[index + 1])] as const);
  if (numbers.some(([key, value]) => value > newest[key])) return undefined;
  return Object.fromEntries(numbers) as unknown as Cursor;
}
