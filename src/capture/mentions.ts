// What a prompt points at: earlier transcripts, files, commits. Pointers people and agents write down are worth more than guesses.
import type { Link } from "../store/links.ts";

/** A prompt is only read this far for pointers; plans and pasted logs can be long. */
const MAX_CHARS = 20_000;
const MAX_MENTIONS = 50;

const TRANSCRIPT = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl/g;
const FILE = /(?<![\w@:/.-])(?:\.{0,2}\/)?(?:[\w@.-]+\/)+[\w@.-]*\.[A-Za-z]\w{0,7}\b/g;
const COMMIT = /\b(?:commit|sha|revert|cherry-pick)s?[ :`'"(]{1,3}([0-9a-f]{7,40})\b/gi;

export function linksOf(prompt: string, sessionId: string): Link[] {
  const text = prompt.slice(0, MAX_CHARS);
  const source = { type: "session", id: sessionId } as const;
  const sessions = unique(text.matchAll(TRANSCRIPT), 1).filter((id) => id !== sessionId);
  return [
    ...sessions.map((id): Link => ({ source, target: { type: "session", id }, relationship: "continues" })),
    ...unique(text.matchAll(FILE), 0).map((id): Link => ({
      source,
      target: { type: "file", id: id.replace(/^\.\//, "") },
      relationship: "mentions",
    })),
    ...unique(text.matchAll(COMMIT), 1).map((id): Link => ({
      source,
      target: { type: "commit", id: id.toLowerCase() },
      relationship: "mentions",
    })),
  ];
}

function unique(matches: Iterable<RegExpExecArray>, group: number): string[] {
  const found = new Set<string>();
  for (const match of matches) {
    found.add(match[group] ?? "");
    if (found.size >= MAX_MENTIONS) break;
  }
  return [...found];
}
