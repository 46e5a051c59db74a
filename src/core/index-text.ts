// What of a turn and of a tool use goes into the full-text indexes.
import { camelParts, spaceOut } from "./words.ts";

/** More of an output finds less: with 8 KB the same sessions rank 2 points worse than with 2 KB. */
const MAX_OUTPUT_CHARS = 2_000;
const MAX_INPUT_CHARS = 8_000;
const MAX_CALL_CHARS = 1_000;
/** A word longer than this is data (base64, a minified file), and nobody types it. */
const MAX_PARTED_CHARS = 64;

export interface TurnText {
  prompt: string;
  answers: string[];
  calls: { name: string; input: unknown }[];
}

export interface TurnColumns {
  prompt: string;
  answer: string;
  calls: string;
}

/** The talk of one turn, and each call in a line: the command, the path, the pattern, but no file contents. */
export function turnColumns(turn: TurnText): TurnColumns {
  return {
    prompt: indexable(turn.prompt),
    answer: indexable(turn.answers.join("\n")),
    calls: indexable(turn.calls.map((call) => callLine(call.name, call.input)).join("\n")),
  };
}

/** A turn this long says by itself what it is about; a shorter one is made up to it with what was said beside it. */
export const BESIDE_CHARS = 800;
/** So many turns before it and after it. */
export const BESIDE_TURNS = 2;

/** What was said beside a turn, the nearest first, as far as the turn itself leaves room. */
export function besideColumn({ prompt, answer }: TurnColumns, beside: readonly string[]): string {
  let left = BESIDE_CHARS - prompt.length - answer.length;
  const parts: string[] = [];
  for (const text of beside) {
    if (left <= 0) break;
    parts.push(indexable(text.slice(0, left)));
    left -= text.length;
  }
  return parts.join("\n");
}

export function toolColumns(name: string, input: unknown, output: string): { input: string; output: string } {
  return {
    input: indexable(headAndTail(`${name} ${leaves(input)}`, MAX_INPUT_CHARS)),
    output: indexable(headAndTail(output, MAX_OUTPUT_CHARS)),
  };
}

/** The text, and after it the parts of its camelCase words in their order: "productTour" is found by "product tour". */
export function indexable(text: string): string {
  const spaced = spaceOut(text);
  const parts = camelParts(spaced, MAX_PARTED_CHARS);
  return parts.length === 0 ? spaced : `${spaced}\n${parts.join(" ")}`;
}

/** Inputs that carry a file's text; the tool index has them. */
const CONTENT_KEYS = new Set([
  "content",
  "old_string",
  "new_string",
  "file_text",
  "old_str",
  "new_str",
  "new_source",
  "edits",
  "input",
  "patch",
]);

function callLine(name: string, input: unknown): string {
  return headAndTail(`${name} ${leaves(input, CONTENT_KEYS)}`, MAX_CALL_CHARS);
}

function leaves(value: unknown, skip?: ReadonlySet<string>): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return "";
  const entries: [string, unknown][] = Object.entries(value);
  return entries
    .filter(([key]) => skip === undefined || !skip.has(key))
    .map(([, inner]) => leaves(inner, skip))
    .join("\n");
}

function headAndTail(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars / 2)}\n${text.slice(-maxChars / 2)}`;
}
