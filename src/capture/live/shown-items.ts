// The items a session was shown. Hooks are separate processes that never write the database, so each appends to a small
// file for the next one. It contains item ids and hashes, no text.
import { rmSync } from "node:fs";
import { shortHash } from "../../core/hash.ts";
import { appendPrivate } from "../../platform/private-file.ts";
import { readText } from "../../platform/read-file.ts";
import { sessionFile } from "./private-turn.ts";

export function readShown(folder: string, reader: string): string[] {
  return (readText(sessionFile(folder, reader, ".log")) ?? "").split("\n").filter(Boolean);
}

/** One append, so that simultaneous hooks do not overwrite each other. */
export function noteShown(folder: string, reader: string, keys: readonly string[]): void {
  appendPrivate(sessionFile(folder, reader, ".log"), keys.map((key) => `${key}\n`).join(""));
}

/** After compaction the agent no longer has what it was shown. */
export function clearShown(folder: string, reader: string): void {
  rmSync(sessionFile(folder, reader, ".log"), { force: true });
}

/** The key of a file or command that was looked up, with or without a result. */
export function lookupKey(kind: string, subject: string): string {
  return `${kind}=${shortHash(subject)}`;
}
