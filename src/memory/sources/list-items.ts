// Reads the items of a Markdown list, with the text of nested lines joined to their item.
import { stripMarkdown } from "../../core/prose.ts";

const ITEM = /^(?:[-*+•]|\d{1,3}[.)])\s+(.*)$/;

/** "- **Upload**: fails\n  - retried twice" -> ["Upload: fails; retried twice"]. Skips code and text before the first item. */
export function listItems(markdown: string): string[] {
  const lines = withoutCode(markdown.split("\n")).filter((line) => line.trim() !== "");
  const starts = lines.filter((line) => ITEM.test(line.trim()));
  const level = Math.min(...starts.map(indentOf));
  const items: string[] = [];
  for (const line of lines) {
    const text = ITEM.exec(line.trim())?.[1];
    if (text !== undefined && indentOf(line) === level) items.push(text);
    else if (items.length > 0 && indentOf(line) > level) items.push(joined(items.pop() ?? "", text ?? line.trim()));
  }
  return items.map(stripMarkdown).filter((item) => /[\p{L}\p{N}]/u.test(item));
}

function joined(item: string, more: string): string {
  return `${item}${/[.:;,!?]\**$/.test(item) ? "" : ";"} ${more}`;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function withoutCode(lines: readonly string[]): string[] {
  let isCode = false;
  return lines.filter((line) => {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return !isFence && !isCode;
  });
}
