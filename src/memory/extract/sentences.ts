// The sentences of a prompt or message, with the block each is in.
import { type Block, sentencesOf } from "../../core/prose.ts";

export interface Sentence {
  text: string;
  /** Item id of the prompt or message it is in. */
  id: string;
  /** The paragraph or list item it is in. */
  block: Block;
}

/** Without headings. */
export function sentencesIn(blocks: readonly Block[], id: string): Sentence[] {
  return blocks
    .filter(({ kind }) => kind !== "heading")
    .flatMap((block) => sentencesOf(block.text).map((text) => ({ text, id, block })));
}

/** Without those of list items. */
export function proseIn(sentences: readonly Sentence[]): string[] {
  return sentences.filter(({ block }) => block.kind === "text").map(({ text }) => text);
}

/** Except for a name in code: "useApi returns …". */
export function capitalise(text: string): string {
  return /^[a-z][a-z'’]*(?:[\s,:!?]|\.?\s|\.?$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

export function withFullStop(text: string): string {
  return text === "" || /[.!?…]”?$/.test(text) ? text : `${text}.`;
}
