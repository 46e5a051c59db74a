// Lays text out for a terminal: removes escape codes, cuts and wraps to the terminal's width.
import { terminalSafe } from "../../core/terminal.ts";
import { cutTo, widthOf } from "./width.ts";

const DEFAULT_COLUMNS = 100;
const MIN_COLUMNS = 40;

export function columns(): number {
  return Math.max(MIN_COLUMNS, process.stdout.columns ?? DEFAULT_COLUMNS);
}

/** Cuts the text to one line of at most `width` columns. */
export function fit(text: string, width: number): string {
  const flat = terminalSafe(text.slice(0, width * 8 + 100))
    .replace(/\s+/g, " ")
    .trim();
  return cutTo(flat, width);
}

/** Cuts a long path at its start, so that the file's name stays. */
export function fitPath(path: string, width: number): string {
  const flat = terminalSafe(path);
  if (/\s|:\/\//.test(flat) || !flat.includes("/") || widthOf(flat) <= width) return fit(path, width);
  const tail = flat.slice(-(width - 1));
  return `…${tail.slice(Math.max(0, tail.indexOf("/")))}`;
}

export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

export function padLeft(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text))) + text;
}

/** Indents all lines. Wraps them at words, except lines of code and tables. */
export function block(text: string, indent: string): string {
  const width = columns() - indent.length;
  return terminalSafe(text)
    .trimEnd()
    .replace(/^\n+/, "")
    .split("\n")
    .flatMap((line) => wrapLine(line, width))
    .map((line) => `${indent}${line}`.trimEnd())
    .join("\n");
}

export function wrapLine(line: string, width: number): string[] {
  if (widthOf(line) <= width || /^\s*[|+]/.test(line) || /^(?: {4}|\t)/.test(line)) return [line];
  const hang = " ".repeat(/^\s*(?:(?:[-*•]|\d+[.)])\s+)?/.exec(line)?.[0].length ?? 0);
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(/(?<=\S)(?=\s)/)) {
    if (current !== "" && widthOf(current + word) > width) {
      lines.push(current);
      current = hang + word.trimStart();
    } else current += word;
  }
  return [...lines, current];
}
