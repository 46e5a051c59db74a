// Prepares the text of turns and tool uses for the full-text indexes.
import { isErrorLine } from "./error-text.ts";
import { camelParts, spaceOut } from "./words.ts";

/** With 8 KB of each output in the index, results are 2 points worse than with 2 KB (docs/adr/0009-search.md). */
const MAX_OUTPUT_CHARS = 2_000;
const MAX_INPUT_CHARS = 8_000;
const MAX_CALL_CHARS = 1_000;
/** Longer words are data (base64, minified files); their camelCase parts are not indexed. */
const MAX_CAMEL_CHARS = 64;

export interface TurnText {
  prompt: string;
  answers: string[];
  calls: { name: string; input: unknown }[];
  /** Commits made outside of the session: those of the session are in its calls. */
  commits: readonly { subject: string; pull_request: number | null }[];
}

export type TurnColumns = ReturnType<typeof turnColumns>;

/** The indexed columns of a turn. `calls` has the inputs of all tool uses, such as commands, but no file contents. */
export function turnColumns(turn: TurnText) {
  return {
    prompt: indexable(turn.prompt),
    answer: indexable(turn.answers.join("\n")),
    calls: indexable(
      [
        ...turn.calls.map((call) => callLine(call.name, call.input)),
        ...turn.commits.map(({ subject, pull_request: pr }) => (pr === null ? subject : `${subject} pr ${pr}`)),
      ].join("\n"),
    ),
  };
}

/** A shorter turn is padded with text of its neighbours up to this length. */
export const NEIGHBOUR_CHARS = 800;
/** Number of neighbours on each side. */
export const NEIGHBOUR_TURNS = 2;

/** `neighbours` is nearest first. The turn's own text counts towards NEIGHBOUR_CHARS. */
export function neighbourColumn({ prompt, answer }: TurnColumns, neighbours: readonly string[]): string {
  let left = NEIGHBOUR_CHARS - prompt.length - answer.length;
  const parts: string[] = [];
  for (const text of neighbours) {
    if (left <= 0) break;
    parts.push(indexable(text.slice(0, left)));
    left -= text.length;
  }
  return parts.join("\n");
}

export function toolColumns(name: string, input: unknown, output: string): { input: string; output: string } {
  return {
    input: indexable(headAndTail(`${name} ${leaves(input)}`, MAX_INPUT_CHARS)),
    output: indexable(`${headAndTail(output, MAX_OUTPUT_CHARS)}${errorsBetween(output)}`),
  };
}

/** Characters of a long output that are searched for errors, and the errors that are indexed of them. */
const MAX_SEARCHED_CHARS = 100_000;
const MAX_ERRORS = 12;
const MAX_ERROR_CHARS = 300;
/** Finds lines to look at: checking every line would take ten times as long. */
const MAYBE_ERROR = /error|exception|fail|fatal|panic|cannot|not found|no such/gi;

/** Different errors in the part of an output that is not indexed, each on its own line. */
function errorsBetween(output: string): string {
  if (output.length <= MAX_OUTPUT_CHARS) return "";
  const middle = output.slice(MAX_OUTPUT_CHARS / 2, -MAX_OUTPUT_CHARS / 2).slice(0, MAX_SEARCHED_CHARS);
  const errors = new Set<string>();
  for (let from = 0; errors.size < MAX_ERRORS;) {
    MAYBE_ERROR.lastIndex = from;
    const match = MAYBE_ERROR.exec(middle);
    if (match === null) break;
    const end = middle.indexOf("\n", match.index);
    from = end < 0 ? middle.length : end;
    const line = middle.slice(middle.lastIndexOf("\n", match.index) + 1, from).trim();
    if (line.length <= MAX_ERROR_CHARS && isErrorLine(line)) errors.add(line);
  }
  return [...errors].map((line) => `\n${line}`).join("");
}

/** Appends the parts of camelCase words: "productTour" -> "productTour\nproduct Tour". */
export function indexable(text: string): string {
  const spaced = spaceOut(text);
  const parts = camelParts(spaced, MAX_CAMEL_CHARS);
  return parts.length === 0 ? spaced : `${spaced}\n${parts.join(" ")}`;
}

/** Input fields that contain file text. The tool index includes them, the turn index does not. */
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
