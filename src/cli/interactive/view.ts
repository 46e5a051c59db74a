// Turns the state of the interactive search into the lines of the screen. Stored text is cleaned of escape codes.
import { terminalSafe } from "../../core/terminal.ts";
import { ago, count, oneLine } from "../../core/text.ts";
import type { Snippet } from "../../recall/search/snippet.ts";
import { fit, pad, padLeft } from "../../platform/terminal/layout.ts";
import { cutTo, graphemes, widthOf, wrap } from "../../platform/terminal/width.ts";
import { layoutOf, type Question, type Result, type State } from "./state.ts";

export type Style = "bold" | "dim" | "inverse" | "yellow";
export type Paint = (style: Style, text: string) => string;

export interface Preview {
  /** What the snippet shows, e.g. "prompt", "message", "tool", "last prompt". */
  kind: string;
  snippet: Snippet;
}

export interface Screen {
  lines: string[];
  /** The cursor is in the first line. */
  cursorColumn: number;
}

const PROMPT = "> ";
const KEYS = "enter open · tab project · ctrl-a agent · ctrl-t time · esc quit";

export function draw(
  state: State,
  preview: Preview | undefined,
  { now, paint }: { now: number; paint: Paint },
): Screen {
  const { columns } = state.size;
  const layout = layoutOf(state.size);
  const input = inputLine(state, columns);
  const lines = [paint("bold", PROMPT) + input.text];
  if (layout.filters) lines.push(paint("dim", filterLine(state, columns)));
  lines.push(...listLines(state, layout.listRows, now, paint));
  if (layout.snippetRows > 0) lines.push(...previewLines(state, preview, layout.snippetRows, paint));
  if (layout.keys) lines.push(paint("dim", fit(KEYS, columns)));
  return { lines, cursorColumn: input.cursorColumn };
}

/** Shows the part of the query around the cursor. */
function inputLine({ question, cursor }: State, columns: number): { text: string; cursorColumn: number } {
  const room = Math.max(1, columns - PROMPT.length - 1);
  let start = 0;
  let width = widthOf(question.query.slice(0, cursor));
  for (const { text, columns: wide } of graphemes(question.query)) {
    if (width <= room) break;
    start += text.length;
    width -= wide;
  }
  return { text: pad(cutTo(question.query.slice(start), room), room), cursorColumn: PROMPT.length + width };
}

const BY = {
  keywords: "keywords",
  meaning: "keywords and meaning",
  "no meaning": "keywords only (see c-mem doctor)",
} as const;

function filterLine({ question, project, results, by }: State, columns: number): string {
  const where = question.here ? `this project: ${oneLine(project ?? "", 40)}` : "all projects";
  const when = question.days === undefined ? "all time" : `last ${question.days} days`;
  const total = `${results.length} shown, ${question.query.trim() === "" ? "newest first" : `best first, ${BY[by]}`}`;
  const filters = `${where} · ${question.agent ?? "all agents"} · ${when}`;
  const room = Math.max(0, columns - widthOf(total) - 1);
  return cutTo(`${cell(filters, room)} ${total}`, columns);
}

function listLines(state: State, rows: number, now: number, paint: Paint): string[] {
  const { results, top, selected, question, size } = state;
  const lines = results.slice(top, top + rows).map((result, index) => {
    const line = resultLine(result, question, size.columns, now, paint);
    return top + index === selected
      ? paint("inverse", `${line.mark("▸")}${line.plain}`)
      : line.mark(" ") + line.painted;
  });
  if (results.length === 0 && rows > 0) lines.push(paint("dim", cutTo(`  ${emptyText(question)}`, size.columns)));
  return [...lines, ...Array.from({ length: Math.max(0, rows - lines.length) }, () => "")];
}

function emptyText({ query, here, agent, days }: Question): string {
  if (here) return "No session of this project matches. Tab searches all projects.";
  if (agent !== undefined || days !== undefined) return "No session matches these filters.";
  return query.trim() === "" ? "No sessions yet. `c-mem sync` imports earlier ones." : "No session matches.";
}

const WHEN_COLUMNS = 9;
const AGENT_COLUMNS = 11;
const PROJECT_COLUMNS = 16;
const MIN_TITLE_COLUMNS = 30;

function resultLine({ session, at }: Result, question: Question, columns: number, now: number, paint: Paint) {
  // Leaves out columns with the same value in every line, and columns that do not fit.
  const details: string[] = [];
  let room = columns - 2;
  const add = (text: string, width: number, align: "left" | "right" = "left"): void => {
    if (room - width - 1 < MIN_TITLE_COLUMNS) return;
    room -= width + 1;
    details.push(align === "left" ? cell(text, width) : padLeft(fit(text, width), width));
  };
  add(ago(at, now).replace(/ ago$/, ""), WHEN_COLUMNS, "right");
  if (!question.here) add(session.project, PROJECT_COLUMNS);
  if (question.agent === undefined) add(session.agent, AGENT_COLUMNS);
  const [when, ...others] = details;
  const rest = [...others, ...(when === undefined ? [] : [when])].map((text) => ` ${text}`).join("");
  const title = cell(session.title ?? "(untitled)", room);
  return { mark: (mark: string) => `${mark} `, plain: title + rest, painted: title + paint("dim", rest) };
}

function cell(text: string, width: number): string {
  return pad(fit(text, width), width);
}

function previewLines(state: State, preview: Preview | undefined, rows: number, paint: Paint): string[] {
  const { columns } = state.size;
  const result = state.results[state.selected];
  const lines = [paint("dim", "─".repeat(columns))];
  if (result !== undefined) lines.push(paint("dim", cutTo(terminalSafe(aboutLine(result, preview)), columns)));
  if (preview !== undefined) {
    const { marks } = preview.snippet;
    // A line break would count as no column.
    const text = preview.snippet.text.replace(/\s/g, " ");
    const pieces = wrap(text, Math.max(1, columns - 2), rows);
    lines.push(...pieces.map(([start, end]) => `  ${highlight(text, start, end, marks, paint)}`));
  }
  return [...lines, ...Array.from({ length: Math.max(0, rows + 2 - lines.length) }, () => "")];
}

function aboutLine({ session, promptNumber }: Result, preview: Preview | undefined): string {
  const parts = [
    ...(preview === undefined ? [] : [preview.kind]),
    promptNumber === undefined
      ? count(session.prompt_count, "turn")
      : `turn ${promptNumber} of ${session.prompt_count}`,
    count(session.tool_uses, "tool use"),
    ...(session.git_branch ? [oneLine(session.git_branch, 40)] : []),
    oneLine(session.session_id, 40),
  ];
  return `  ${parts.join(" · ")}`;
}

function highlight(text: string, start: number, end: number, marks: Snippet["marks"], paint: Paint): string {
  let out = "";
  let from = start;
  for (const [markStart, markEnd] of marks) {
    const [a, b] = [Math.max(markStart, from), Math.min(markEnd, end)];
    if (a >= b) continue;
    out += terminalSafe(text.slice(from, a)) + paint("yellow", terminalSafe(text.slice(a, b)));
    from = b;
  }
  return out + terminalSafe(text.slice(from, end));
}
