// Lays out sections of lines as one block that never exceeds its budget: what comes first matters most.
import { FENCE, fenceSafe } from "../../core/privacy/fence.ts";
import { estimateTokens } from "../../core/tokens.ts";

export interface Line {
  text: string;
  /** The items it tells of: what is not shown was not shown. */
  items?: string[];
}

export interface Section {
  /** Empty: the lines stand for themselves. */
  heading: string;
  /** Made one by one: what has no room is never made. */
  lines: Iterable<Line>;
  /** Leaves room for what follows. */
  maxTokens?: number;
}

export interface Budget {
  /** UTF-16 units, as the client counts. */
  maxChars: number;
  maxTokens: number;
}

export interface Block {
  text: string;
  items: string[];
  tokens: number;
}

export const NOTHING: Block = { text: "", items: [], tokens: 0 };

/** A section with no line that fits is left out; without any line there is no block. Nothing in it closes the fence. */
export function layOut(intro: string, sections: readonly Section[], budget: Budget): Block {
  const open = intro === "" ? FENCE.open : `${FENCE.open}\n${fenceSafe(intro)}`;
  const kept = fill(sections, {
    maxChars: budget.maxChars - open.length - FENCE.close.length - 1,
    maxTokens: budget.maxTokens - estimateTokens(open) - estimateTokens(FENCE.close),
  });
  // A sum of estimates is not quite the estimate of the sum.
  for (;;) {
    if (kept.length === 0) return NOTHING;
    const text = [open, ...kept.map(({ text: line }) => line), FENCE.close].join("\n");
    const tokens = estimateTokens(text);
    if (tokens <= budget.maxTokens && text.length <= budget.maxChars) {
      return { text, items: [...new Set(kept.flatMap(({ items = [] }) => items))], tokens };
    }
    kept.pop();
    while (kept.at(-1)?.items === undefined && isHeading(kept.at(-1))) kept.pop();
  }
}

interface Room {
  maxChars: number;
  maxTokens: number;
}

function fill(sections: readonly Section[], room: Room): Line[] {
  const kept: Line[] = [];
  let [chars, tokens] = [room.maxChars, room.maxTokens];
  for (const { heading, lines, maxTokens = Infinity } of sections) {
    const head = heading === "" ? [] : [{ text: `\n${fenceSafe(heading)}` }];
    const headChars = sum(head, ({ text }) => text.length + 1);
    const headTokens = sum(head, ({ text }) => estimateTokens(text) + 1);
    let [charsLeft, tokensLeft] = [chars - headChars, Math.min(tokens - headTokens, maxTokens)];
    const tokensGiven = tokensLeft;
    const fitting: Line[] = [];
    for (const line of lines) {
      const text = fenceSafe(line.text);
      const cost = estimateTokens(text) + 1;
      if (text.length + 1 > charsLeft || cost > tokensLeft) break;
      fitting.push({ ...line, text });
      charsLeft -= text.length + 1;
      tokensLeft -= cost;
    }
    if (fitting.length === 0) continue;
    kept.push(...head, ...fitting);
    chars = charsLeft;
    tokens -= headTokens + tokensGiven - tokensLeft;
  }
  return kept;
}

function isHeading(line: Line | undefined): boolean {
  return line !== undefined && line.text.startsWith("\n#");
}

function sum<T>(list: readonly T[], value: (item: T) => number): number {
  return list.reduce((total, item) => total + value(item), 0);
}
