// Lays out sections of lines as one fenced block within a budget. Earlier sections and lines have priority.
import { FENCE, fenceSafe, quoteName, quoteInstructions } from "../../core/privacy/fence.ts";
import { oneLine } from "../../core/text.ts";
import { estimateTokens } from "../../core/tokens.ts";

export interface Line {
  text: string;
  /** Ids of the items in the line; recorded as shown only if the line fits. */
  items?: string[];
}

export interface Section {
  /** Empty for lines without a heading. */
  heading: string;
  /** May be a generator: it is read only up to the first line that does not fit. */
  lines: Iterable<Line>;
  /** Limits the section so that later ones fit too. */
  maxTokens?: number;
}

export interface Budget {
  /** UTF-16 units, which Claude Code counts. */
  maxChars: number;
  maxTokens: number;
}

export interface Block {
  text: string;
  items: string[];
  tokens: number;
}

export const EMPTY_BLOCK: Block = { text: "", items: [], tokens: 0 };

/** Omits a section if none of its lines fits. Returns EMPTY_BLOCK if no line fits. */
export function layOut(intro: string, sections: readonly Section[], budget: Budget): Block {
  const open = intro === "" ? FENCE.open : `${FENCE.open}\n${fenceSafe(intro)}`;
  const lines = fittingLines(sections, {
    maxChars: budget.maxChars - open.length - FENCE.close.length - 1,
    maxTokens: budget.maxTokens - estimateTokens(open) - estimateTokens(FENCE.close),
  });
  // The estimate for the whole text can exceed the sum of the line estimates: then drop lines from the end.
  for (; lines.length > 0; dropLast(lines)) {
    const text = [open, ...lines.map((line) => line.text), FENCE.close].join("\n");
    const tokens = estimateTokens(text);
    if (tokens <= budget.maxTokens && text.length <= budget.maxChars)
      return { text, items: [...new Set(lines.flatMap(({ items = [] }) => items))], tokens };
  }
  return EMPTY_BLOCK;
}

function fittingLines(sections: readonly Section[], budget: Budget): Line[] {
  const all: Line[] = [];
  let { maxChars: charsLeft, maxTokens: tokensLeft } = budget;
  for (const { heading, lines, maxTokens = Infinity } of sections) {
    const head = heading === "" ? [] : [{ text: `\n${fenceSafe(heading)}` }];
    const fitting: Line[] = [];
    let chars = head.reduce((sum, { text }) => sum + text.length + 1, 0);
    let tokens = head.reduce((sum, { text }) => sum + estimateTokens(text) + 1, 0);
    const maxSectionTokens = Math.min(tokensLeft, tokens + maxTokens);
    for (const line of lines) {
      const text = fenceSafe(line.text);
      const cost = estimateTokens(text) + 1;
      if (chars + text.length + 1 > charsLeft || tokens + cost > maxSectionTokens) break;
      fitting.push({ ...line, text });
      chars += text.length + 1;
      tokens += cost;
    }
    if (fitting.length === 0) continue;
    all.push(...head, ...fitting);
    charsLeft -= chars;
    tokensLeft -= tokens;
  }
  return all;
}

/** Drops the last line, and headings left without lines. */
function dropLast(lines: Line[]): void {
  do lines.pop();
  while (lines.at(-1)?.items === undefined && lines.at(-1)?.text.startsWith("\n#"));
}

/** Puts recorded text on one line. Text that reads like an instruction is marked as a quotation. */
export function quoteLine(text: string, maxChars: number): string {
  return quoteInstructions(oneLine(text, maxChars));
}

export function quoteNames(names: readonly string[], limit: number, maxChars: number): string {
  return names
    .slice(0, limit)
    .map((name) => quoteName(name, maxChars))
    .join(", ");
}
