// Finds credentials in the column below a label: Markdown and database tables, CSV, SQL inserts.
import type { Label } from "./labels.ts";
import type { SecretRange } from "./secret.ts";
import { isCredential } from "./judge.ts";
import type { Value } from "./value.ts";

const MAX_LINE_CHARS = 600;
const MAX_ROWS = 200;
const NAME = "credential";

export function columnValues(text: string, label: Label): SecretRange[] {
  return insertedValues(text, label) ?? tableValues(text, label);
}

const RULE = /^[\s|+:=\-─┬┴┼├┤└┘┌┐═╪]*$/;
/** Headings of the other columns in a table of credentials, such as user, host or service. */
const OWNER_CELL =
  /^(?:user|usr|login|e?-?mail|host|name|account|service|server|url|site|id|system|environment|env|role|device|app|benutzer|first|index)|user|login|name$/i;

function tableValues(text: string, { kind, start, end, name }: Label): SecretRange[] {
  if (!/^["'`*]{0,3}[ \t]*(?:[|│\t,;]|\r?\n|\\n|$)/.test(text.slice(end, end + 40))) return [];
  const from = lineStart(text, start);
  const to = lineEnd(text, end);
  if (from === undefined || to === undefined || to >= text.length) return [];
  const header = text.slice(from, to);
  const delimiter = delimiterOf(header);
  if (delimiter === undefined) return [];
  const cells = splitCells(header, delimiter);
  const column = cells.findIndex((cell) => from + cell.start <= start && from + cell.end >= end);
  const heading = cells[column]?.text ?? "";
  if (!heading.endsWith(name) || heading.split(/\s+/).length > 3 || !isHeader(cells, delimiter)) return [];
  // A drawn table has a rule below its header.
  const below = text.slice(to, to + 400).trimStart();
  if (/[|│]/.test(delimiter) && !RULE.test(below.split("\n", 1)[0] ?? "")) return [];
  const found: SecretRange[] = [];
  for (let row = 0, place = to; row < MAX_ROWS && place < text.length; row++) {
    const next = place + (text.charAt(place) === "\r" ? 2 : 1);
    const stop = lineEnd(text, next);
    if (stop === undefined) break;
    place = stop;
    const line = text.slice(next, stop);
    if (RULE.test(line) && line.trim() !== "") continue;
    const values = splitCells(line, delimiter);
    if (line === "" || values.length !== cells.length) break;
    const value = values[column];
    if (value === undefined || value.text === "") continue;
    if (isCredential(kind, value, /\s/.test(value.text) ? "argument" : "setting")) {
      found.push({ start: next + value.start, end: next + value.end, name: NAME });
    }
  }
  return found;
}

/** Undefined if the line is too long for a table. */
function lineStart(text: string, from: number): number | undefined {
  const near = text.slice(Math.max(0, from - MAX_LINE_CHARS), from);
  const start = near.lastIndexOf("\n");
  if (start < 0) return from > MAX_LINE_CHARS ? undefined : 0;
  return from - near.length + start + 1;
}

function lineEnd(text: string, from: number): number | undefined {
  const near = text.slice(from, from + MAX_LINE_CHARS);
  const end = near.indexOf("\n");
  if (end < 0) return near.length === MAX_LINE_CHARS ? undefined : text.length;
  return from + (near.charAt(end - 1) === "\r" ? end - 1 : end);
}

function delimiterOf(header: string): string | undefined {
  // Columns separated by spaces, as by `column -t`.
  const isAligned = /^\s*[\w.-]+(?: {2,}[\w.-]+)+ *$/.test(header);
  return ["│", "|", "\t", ";", ","].find((delimiter) => header.includes(delimiter)) ?? (isAligned ? "  " : undefined);
}

function isHeader(cells: readonly Value[], delimiter: string): boolean {
  const named = cells.map(({ text }) => text).filter((text) => text !== "");
  if (named.length < 2 || !named.every((text) => /^[\p{L}\d_ ().#/-]{1,40}$/u.test(text))) return false;
  return delimiter === "," || delimiter === ";" || named.some((text) => OWNER_CELL.test(text));
}

/** Cells without surrounding spaces and quotation marks. */
function splitCells(line: string, delimiter: string): Value[] {
  const cells: Value[] = [];
  for (let at = 0; at <= line.length;) {
    const lead = /^[ \t`*]*/.exec(delimiter === "\t" ? "" : line.slice(at))?.[0].length ?? 0;
    const open = line.charAt(at + lead);
    const close = open === '"' || open === "'" ? line.indexOf(open, at + lead + 1) : -1;
    const isQuoted = close > 0;
    const next = line.indexOf(delimiter, isQuoted ? close + 1 : at);
    const stop = next < 0 ? line.length : next;
    const start = isQuoted ? at + lead + 1 : at + lead;
    const raw = isQuoted ? line.slice(start, close) : line.slice(start, stop).replace(/[ \t`*]+$/, "");
    cells.push({ start, end: start + raw.length, text: raw, isQuoted });
    at = stop + 1;
  }
  return cells;
}

const VALUES = /^[^()]{0,200}\)\s{0,20}(?:values|\\nvalues)\s{0,20}/i;

/** Finds 'b' in `(email, password) VALUES ('a', 'b')`. */
function insertedValues(text: string, { kind, start, end }: Label): SecretRange[] | undefined {
  if (!/^["'`]?\s?[,)]/.test(text.slice(end, end + 3))) return undefined;
  const head = VALUES.exec(text.slice(end, end + 240));
  if (head === null) return undefined;
  const near = text.slice(Math.max(0, start - 300), start);
  const open = start - near.length + near.lastIndexOf("(");
  if (!near.includes("(")) return undefined;
  const column = text.slice(open, start).split(",").length - 1;
  const found: SecretRange[] = [];
  let place = end + head[0].length;
  for (let row = 0; row < MAX_ROWS; row++) {
    const tuple = /^[\s,]{0,20}\(/.exec(text.slice(place, place + 22))?.[0];
    if (tuple === undefined) break;
    place += tuple.length;
    for (let index = 0; ; index++) {
      const item = /^\s{0,20}(?:[NE]?'((?:[^'\n]|''){0,200})'|"([^"\n]{0,200})"|([^,()'"\n]{0,100}))/.exec(
        text.slice(place, place + 240),
      );
      if (item === null) return found;
      const value = item[1] ?? item[2];
      if (index === column && value !== undefined) {
        const at = place + item[0].length - 1 - value.length;
        if (isCredential(kind, { start: 0, end: 0, text: value, isQuoted: true }, "literal")) {
          found.push({ start: at, end: at + value.length, name: NAME });
        }
      }
      place += item[0].length;
      if (text.charAt(place) !== ",") break;
      place += 1;
    }
    if (text.charAt(place) !== ")") break;
    place += 1;
  }
  return found;
}
