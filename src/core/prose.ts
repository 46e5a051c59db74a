// Splits Markdown into headings, paragraphs, list items and sentences; skips code, tables and logs.
import { referencesAsWords } from "./references.ts";

export interface Block {
  kind: "heading" | "text" | "item";
  text: string;
  /** The heading above it, "" before the first. */
  section: string;
}

/** The rest of a longer text is usually pasted. */
const MAX_CHARS = 40_000;
const MAX_LINE_CHARS = 2_000;

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^\s{0,3}#{1,6}\s+(.*?)#*\s*$/;
const ITEM = /^\s*(?:[-*+•‣▪]|\d{1,3}[.)])\s+(.*)$/;
/** Tables, rules, boxes, quotations, and tags alone on a line. */
const NOISE = /^\s*(?:\||>|[-=_*─━═·★☆\s]{3,}$|`?[★☆]?[^\n]*[─━═]{5,}|<\/?[\w:-]+[^>]*>\s*$)/u;
/** Output of programs: timestamps, stack frames, shell prompts, diffs. */
const LOG =
  /^\s*(?:\[?\d{1,4}[-:/.]\d{2}[-:/.]\d{2}|at\s+\S+\s*\(|File "[^"]+", line \d|[$❯➜%]\s|@@ |\+\+\+ |--- \w|[│┃┌└├╭╰])/u;

export function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let section = "";
  let open: Block | undefined;
  let isCode = false;
  const close = (): void => {
    if (open !== undefined) add(blocks, open);
    open = undefined;
  };
  for (const raw of markdown.slice(0, MAX_CHARS).split("\n")) {
    const line = raw.slice(0, MAX_LINE_CHARS);
    if (FENCE.test(line)) {
      isCode = !isCode;
      close();
      continue;
    }
    if (isCode) continue;
    if (line.trim() === "" || NOISE.test(line) || LOG.test(line)) {
      close();
      continue;
    }
    const heading = HEADING.exec(line)?.[1] ?? /^\s*\*\*([^*]{1,200})\*\*:?\s*$/.exec(line)?.[1];
    if (heading !== undefined) {
      close();
      section = stripMarkdown(heading);
      add(blocks, { kind: "heading", text: section, section });
      continue;
    }
    const item = ITEM.exec(line)?.[1];
    if (item !== undefined) {
      close();
      open = { kind: "item", text: item, section };
    } else if (open === undefined) open = { kind: "text", text: line.trim(), section };
    else if (open.kind === "text" && !isWrapped(open.text, line)) {
      close();
      open = { kind: "text", text: line.trim(), section };
    } else open.text += ` ${line.trim()}`;
  }
  close();
  return withLabels(blocks);
}

/** True if the line continues the line before: the author's editor wrapped the text. */
function isWrapped(before: string, line: string): boolean {
  return /[.!?:;]$/.test(before) || /^\s*[\p{Ll}\p{Lo}(`]/u.test(line) || before.length > 70;
}

function add(blocks: Block[], block: Block): void {
  const text = stripMarkdown(block.text);
  if (/[\p{L}\p{N}]/u.test(text)) blocks.push({ ...block, text });
}

/** A line such as "What changed:" before a list becomes a heading. */
function withLabels(blocks: readonly Block[]): Block[] {
  let label: string | undefined;
  return blocks.map((block, index) => {
    if (block.kind === "heading") label = undefined;
    if (block.kind === "text") {
      const isLabel = block.text.endsWith(":") && block.text.length <= 80 && blocks[index + 1]?.kind === "item";
      label = isLabel ? block.text.slice(0, -1) : undefined;
      if (isLabel) return { kind: "heading", text: label as string, section: label as string };
    }
    return label === undefined ? block : { ...block, section: label };
  });
}

/** Known tags only: `<name>` may be a placeholder. */
const HTML =
  /<\/?(?:b|i|u|em|strong|code|pre|p|br|hr|div|span|details|summary|a|ul|ol|li|sub|sup|kbd|img|table|tr|td|th|tbody|thead|h[1-6])(?:\s[^<>]{0,200})?\/?>/gi;

function withoutTags(text: string): string {
  if (!text.includes("<")) return text;
  // A tag between backticks is the topic of the text, so it stays.
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 0 ? part.replace(HTML, " ") : part))
    .join("");
}

/** "[the fix](https://github.com/o/r/pull/12)" -> "the fix (PR #12)" */
function linkText(text: string, url: string): string {
  const reference = referencesAsWords(url);
  const isNamed = reference === url || text.includes(reference.replace(/^\D+/, "")) || text.includes("://");
  return isNamed ? text : `${text} (${reference})`;
}

/** Removes Markdown except backticks, which mark names. URLs of pull requests and issues become "PR #12". */
export function stripMarkdown(text: string): string {
  return (
    referencesAsWords(
      withoutTags(text).replace(/!?\[([^\]]{0,300})\]\(([^)\s]{0,1000})\)/g, (_, shown: string, url: string) =>
        linkText(shown, url),
      ),
    )
      .replace(/(\*\*|__)(?=\S)(.{1,600}?)(?<=\S)\1/g, "$2")
      .replace(/(?<![\w*])\*(?=[^\s*])([^*\n]{1,300})(?<=\S)\*(?![\w*])/g, "$1")
      // oxlint-disable-next-line no-control-regex -- control characters would change what a terminal shows
      .replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ")
      .replace(/^\s*(?:\[[ xX]\]|(?:[\p{Extended_Pictographic}✓✔✗✘☑]|\u{FE0F}|\u{200D})+)\s*/gu, "")
      .replace(/\s+/g, " ")
      .trim()
  );
}

const ABBREVIATION = /(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|al|resp|incl)|^\d{1,3}|\b[A-Z])\.$/i;

export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const match of text.matchAll(/[.!?](?:["'”’)\]]*)\s+(?=["'“‘([`\p{Lu}\p{Lo}\p{N}])|[。！？]/gu)) {
    const end = match.index + match[0].length;
    const sentence = text.slice(start, end).trim();
    if (ABBREVIATION.test(sentence)) continue;
    sentences.push(sentence);
    start = end;
  }
  sentences.push(text.slice(start).trim());
  return sentences.filter((sentence) => sentence !== "");
}

export function withFullStop(text: string): string {
  return text === "" || /[.!?…]["”)]?$/.test(text) ? text : `${text}.`;
}

/** As many whole sentences as fit. If the first one is too long, its beginning. */
export function wholeSentences(sentences: readonly string[], maxChars: number): string {
  let text = "";
  for (const sentence of sentences) {
    const longer = text === "" ? sentence : `${text} ${sentence}`;
    if (longer.length > maxChars) break;
    text = longer;
  }
  return text === "" ? clip(sentences[0] ?? "", maxChars) : text;
}

/** Cuts a longer text after a clause or a word and adds "…". */
export function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, maxChars - 1);
  const clause = /^.*[;:,—–](?=\s)/su.exec(cut)?.[0] ?? "";
  const word = /^.*(?=\s)/su.exec(cut)?.[0] ?? "";
  // URLs and paths are cut at a separator. Text without spaces or separators is cut anywhere.
  const part = /^.*\S(?=[/?&=.])/su.exec(cut)?.[0] ?? "";
  const rough = word === "" ? cut.replace(/[\uD800-\uDBFF]$/, "") : word;
  const kept =
    clause.length > maxChars * 0.7
      ? clause
      : word.length > maxChars * 0.3
        ? word
        : part.length > maxChars * 0.3
          ? part
          : rough;
  return `${balance(kept).replace(/[\s,;:.—–-]+$/u, "")}…`;
}

/** Cuts the text before an unclosed backtick or bracket, unless that removes half of it. */
function balance(text: string): string {
  let kept = text;
  if ((kept.match(/`/g)?.length ?? 0) % 2 === 1) kept = kept.slice(0, kept.lastIndexOf("`"));
  const open = kept.lastIndexOf("(");
  if (open > kept.lastIndexOf(")")) kept = kept.slice(0, open);
  return kept.length > text.length / 2 ? kept : text;
}
