// The handover that a model, or the agent itself, wrote at the end of the last session. It leads the next one's block.
import { informativeWords } from "../../core/similarity.ts";
import type { SummaryRow } from "../../store/tables/summaries.ts";
import { type Line, quoteLine } from "./block.ts";

const LINE_CHARS = 300;
/** An open end with this share of its words in a line of the handover is not repeated. */
const SAME = 0.5;
/** With fewer words, all must be in the line. */
const FEW_WORDS = 3;

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
  const words = informativeWords(step);
  return handover.some((line) => {
    const inLine = informativeWords(line);
    const shared = [...words].filter((word) => inLine.has(word)).length;
    const fewest = Math.min(words.size, inLine.size);
    return shared > 0 && shared >= fewest * (fewest < FEW_WORDS ? 1 : SAME);
  });
}
