// The handover that a model, or the agent itself, wrote at the end of the last session. It leads the next one's block.
import { wordOverlap } from "../../core/similarity.ts";
import type { SummaryRow } from "../../store/tables/summaries.ts";
import { type Line, quoteLine } from "./block.ts";

const LINE_CHARS = 300;
/** An open end with this share of its words in a line of the handover is not repeated. */
const SAME = 0.5;

/** The lines of the handover; empty if the current summary has none, as the extractor's. */
export function handoverOf(summary: SummaryRow | undefined): string[] {
  return summary === undefined ? [] : (JSON.parse(summary.handover) as string[]);
}

export function handoverLines(handover: readonly string[], item: string): Line[] {
  return handover.map((line) => ({ text: `- ${quoteLine(line, LINE_CHARS)}`, items: [item] }));
}

const MAX_DONE = 3;

/** What else the session did, beside its handover. */
export function doneLines(summary: SummaryRow | undefined, handover: readonly string[], item: string): Line[] {
  return (summary?.completed ?? "")
    .split("\n")
    .filter((line) => line !== "" && !isInHandover(line, handover))
    .slice(0, MAX_DONE)
    .map((line) => ({ text: `- ${quoteLine(line, LINE_CHARS)}`, items: [item] }));
}

export function isInHandover(step: string, handover: readonly string[]): boolean {
  return handover.some((line) => wordOverlap(step, line) >= SAME);
}
