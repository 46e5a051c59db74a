// Makes a provisional title of a session from its first prompt.
import { oneLine } from "./text.ts";

const MAX_CHARS = 100;
/** First words of a prompt that say nothing about the task. */
const PREAMBLE = /^(?:implement|execute|carry out|follow) the (?:following|below|attached) plan[:.]?\s*/i;

export function titleOf(prompt: string): string {
  const text = prompt.trim().replace(PREAMBLE, "");
  const heading = /^#{1,6}\s+(?:plan|task|feature|fix|todo)?\s*[:—-]?\s*(\S.*)$/im.exec(
    text.split("\n", 1)[0] ?? "",
  )?.[1];
  return oneLine(heading ?? text, MAX_CHARS);
}

/** True for a command or a short reply: a later prompt may give a better title. */
export function isWeakTitle(title: string): boolean {
  return title.startsWith("/") || title.length < 12;
}
