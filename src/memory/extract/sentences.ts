// Splits a prompt or message into sentences.
import { type Block, sentencesOf } from "../../core/prose.ts";

export interface Sentence {
  text: string;
  /** Item id of its prompt or message. */
  id: string;
  /** Its paragraph or list item. */
  block: Block;
}

/** All sentences except headings. */
export function sentencesIn(blocks: readonly Block[], id: string): Sentence[] {
  return blocks
    .filter(({ kind }) => kind !== "heading")
    .flatMap((block) => sentencesOf(block.text).map((text) => ({ text, id, block })));
}

/** The sentences outside list items. */
export function proseIn(sentences: readonly Sentence[]): string[] {
  return sentences.filter(({ block }) => block.kind === "text").map(({ text }) => text);
}

/** "the cache expires" -> "The cache expires"; a code name stays: "useApi returns …" */
export function capitalise(text: string): string {
  return /^[a-z][a-z'’]*(?:[\s,:!?]|\.?\s|\.?$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

export function withFullStop(text: string): string {
  return text === "" || /[.!?…]”?$/.test(text) ? text : `${text}.`;
}
