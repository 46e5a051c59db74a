// Progress of long work: a bar with rate and remaining time on a terminal, otherwise a line every 5 seconds.
import { setTimeout } from "node:timers/promises";
import { terminalSafe } from "../core/terminal.ts";
import { bytes } from "../platform/terminal/style.ts";
import { LOCK_HOLD_MS } from "../store/db/transaction.ts";
import { say } from "./output.ts";

export interface Step {
  /** The name of this part of the work; a new name starts a new bar. */
  phase?: string;
  done: number;
  /** 0: unknown. */
  total: number;
}

type Progress = ReturnType<typeof startProgress>;

/** Shorter work shows no progress. */
const QUIET_MS = 400;
const BAR_MS = 100;
const LINE_MS = 5_000;
const BAR_CHARS = 24;

/** `format` turns an amount into text. */
export function startProgress(isQuiet: boolean, format: (amount: number) => string = bytes) {
  let startedAt = Date.now();
  let last: Step = { done: 0, total: 0 };
  let shownAt = 0;
  let hasBar = false;
  const end = (): void => {
    if (hasBar) process.stderr.write("\r\u001b[K");
    hasBar = false;
  };
  return {
    show(step: Step): void {
      const now = Date.now();
      if (step.phase !== last.phase || step.done < last.done) {
        end();
        startedAt = now;
        shownAt = 0;
      }
      last = step;
      const isTerminal = process.stderr.isTTY === true;
      if (isQuiet || now - startedAt < QUIET_MS || now - shownAt < (isTerminal ? BAR_MS : LINE_MS)) return;
      shownAt = now;
      hasBar = isTerminal;
      const text = progressText(step, now - startedAt, format);
      if (isTerminal) process.stderr.write(`\r\u001b[K${terminalSafe(text)}`);
      else say(text);
    },
    end,
  };
}

function progressText({ phase, done, total }: Step, elapsedMs: number, format: (amount: number) => string): string {
  const lead = phase === undefined ? "" : `${phase}  `;
  if (total === 0) return `${lead}${done === 0 ? "…" : format(done)}`;
  const share = Math.min(1, done / total);
  const rate = done / (elapsedMs / 1000);
  const left = rate === 0 ? 0 : Math.ceil((total - done) / rate);
  const bar = "#".repeat(Math.round(share * BAR_CHARS)).padEnd(BAR_CHARS, ".");
  return `${lead}[${bar}] ${Math.round(share * 100)}%  ${format(done)} of ${format(total)}, ${format(rate)}/s, ${left} s left`;
}

/**
 * Runs steps with progress until the end, or until Ctrl-C: then there is no result. Waits `pauseMs` after each 50 ms of
 * work, so that other processes can write.
 */
export async function runSteps<S, Result>(
  steps: Generator<S, Result>,
  { progress, stepOf, pauseMs = 0 }: { progress: Progress; stepOf: (step: S) => Step; pauseMs?: number },
): Promise<{ result?: Result; last?: S }> {
  let isInterrupted = false;
  const stop = (): void => void (isInterrupted = true);
  process.once("SIGINT", stop);
  let pausedAt = performance.now();
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return { result: value };
      progress.show(stepOf(value));
      if (performance.now() - pausedAt < LOCK_HOLD_MS) continue;
      await setTimeout(pauseMs);
      pausedAt = performance.now();
      if (isInterrupted) return { last: value };
    }
  } finally {
    progress.end();
    process.off("SIGINT", stop);
  }
}
