// Styles and number formats for a terminal. Removes escape codes from recorded text and keeps C-Mem's own colours.
import { fstatSync } from "node:fs";
import { styleText } from "node:util";
import { terminalSafe } from "../../core/terminal.ts";

export const STDOUT = 1;
export const STDERR = 2;

type Style = Parameters<typeof styleText>[0];

/** For `print` and `say`, which insert the escape codes. */
export function paint(style: Style, text: string, fd: typeof STDOUT | typeof STDERR = STDOUT): string {
  // `process.stdout` takes milliseconds to set up; fstat is a faster test for pipes and files.
  if (process.env["FORCE_COLOR"] === undefined && !isDevice(fd)) return text;
  const styled = styleText(style, forScreen(text), { stream: fd === STDOUT ? process.stdout : process.stderr });
  return styled.replaceAll(ESCAPE, STYLE_ESCAPE);
}

const ESCAPE = "\u001b";
/**
 * Stands for the escape character in C-Mem's own colours until they are written, so that the escape codes of recorded
 * text can be removed. It consists of random noncharacters, so that recorded text cannot imitate it.
 */
const STYLE_ESCAPE = String.fromCodePoint(...Array.from({ length: 16 }, () => 0xfdd0 + Math.floor(Math.random() * 32)));

/** Removes all escape codes except those of C-Mem's own colours. */
export function forScreen(text: string): string {
  const [first = "", ...styled] = text.split(STYLE_ESCAPE);
  const pieces = styled.map((piece) => {
    const code = /^\[[\d;]*m/.exec(piece)?.[0] ?? "";
    return (code === "" ? "" : ESCAPE + code) + terminalSafe(piece.slice(code.length));
  });
  return terminalSafe(first) + pieces.join("");
}

export function isDevice(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}

export function heading(text: string): string {
  return paint("bold", text);
}

export function dim(text: string, fd: typeof STDOUT | typeof STDERR = STDOUT): string {
  return paint("dim", text, fd);
}

/** Rows of label and value, with aligned values. */
export function fields(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`).join("\n");
}

export function bytes(total: number): string {
  if (total < 1024) return `${total} B`;
  const units = ["KB", "MB", "GB"];
  let value = total / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}
