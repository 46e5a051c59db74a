// Remembers in a small file, for each session or subagent, which items were injected into it and which files and
// commands were looked up for it, so that nothing is injected twice. A file, because most hooks do not open the
// database. The file has no text, only ids and hashes.
import { rmSync } from "node:fs";
import { shortHash } from "../../core/hash.ts";
import { appendPrivate } from "../../platform/private-file.ts";
import { readText } from "../../platform/read-file.ts";
import { sessionFile } from "./private-turn.ts";

export function readShown(folder: string, owner: string): string[] {
  return (readText(sessionFile(folder, owner, ".log")) ?? "").split("\n").filter(Boolean);
}

/** A single append, so that simultaneous hooks do not overwrite each other. */
export function noteShown(folder: string, owner: string, keys: readonly string[]): void {
  appendPrivate(sessionFile(folder, owner, ".log"), keys.map((key) => `${key}\n`).join(""));
}

/** Call after compaction, which removes the injected text from the agent's context. */
export function clearShown(folder: string, owner: string): void {
  rmSync(sessionFile(folder, owner, ".log"), { force: true });
}

/** The kind of the key of a file of which single lines are worth a lookup. */
export const LINES_KEY = "lines";

/** The key of a file or command that was looked up, with or without a result. */
export function lookupKey(kind: string, subject: string): string {
  return `${kind}=${shortHash(subject)}`;
}
