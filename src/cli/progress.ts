// Progress of long work: a bar with rate and remaining time on a terminal, otherwise a line every 5 seconds.
import { terminalSafe } from "../core/terminal.ts";
import { say } from "./output.ts";
import { bytes } from "../platform/terminal/style.ts";

export interface Progress {
  add(done: number): void;
  end(): void;
}

/** Shorter work shows no progress. */
const QUIET_MS = 400;
const BAR_MS = 100;
const LINE_MS = 5_000;
const BAR_CHARS = 24;

export interface ProgressOptions {
  /** Formats an amount; default: bytes. */
  show?: (amount: number) => string;
  /** The name of the step. */
  about?: string;
}

/** A total of 0 means unknown. */
export function startProgress(total: number, isQuiet: boolean, options: ProgressOptions = {}): Progress {
  const startedAt = Date.now();
  let done = 0;
  let isTerminal = false;
  let shownAt = 0;
  let hasShown = false;
  return {
    add(more) {
      done += more;
      const now = Date.now();
      if (isQuiet || now - startedAt < QUIET_MS) return;
      isTerminal = process.stderr.isTTY === true;
      if (now - shownAt < (isTerminal ? BAR_MS : LINE_MS)) return;
      shownAt = now;
      hasShown = true;
      const text = progressText(done, total, now - startedAt, options);
      if (isTerminal) process.stderr.write(`\r\u001b[K${terminalSafe(text)}`);
      else say(text);
    },
    end() {
      if (hasShown && isTerminal) process.stderr.write("\r\u001b[K");
    },
  };
}

export function progressText(
  done: number,
  total: number,
  elapsedMs: number,
  { show = bytes, about }: ProgressOptions = {},
): string {
  const lead = about === undefined ? "" : `${about}  `;
  if (total === 0) return `${lead}${done === 0 ? "…" : show(done)}`;
  const share = Math.min(1, done / total);
  const rate = elapsedMs === 0 ? 0 : done / (elapsedMs / 1000);
  const left = rate === 0 ? 0 : Math.ceil((total - done) / rate);
  const bar = "#".repeat(Math.round(share * BAR_CHARS)).padEnd(BAR_CHARS, ".");
  return `${lead}[${bar}] ${Math.round(share * 100)}%  ${show(done)} of ${show(total)}, ${show(rate)}/s, ${left} s left`;
}
