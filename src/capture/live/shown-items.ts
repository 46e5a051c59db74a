// The list of items that a session or subagent was shown, so that they are not injected again. Each hook is its own
// process and most do not open the database, so the list is a small file. It contains item ids and hashes, no text.
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

/** The key of a file or command that was looked up, with or without a result. */
export function lookupKey(kind: string, subject: string): string {
  return `${kind}=${shortHash(subject)}`;
}
