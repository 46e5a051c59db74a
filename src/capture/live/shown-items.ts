// What a session has been shown: hooks are one process each and never write the database, so a small file tells the next.
import { rmSync } from "node:fs";
import { appendPrivate } from "../../platform/private-file.ts";
import { readText } from "../../platform/read-file.ts";
import { shortHash } from "../../core/hash.ts";
import { sessionFile } from "./private-turn.ts";

/** Ids of items, and hashes of what was looked up: none of anybody's words. */
export function readShown(folder: string, reader: string): string[] {
  return (readText(sessionFile(folder, reader, ".log")) ?? "").split("\n").filter(Boolean);
}

/** One write at the end of the file: hooks of one moment do not overwrite each other. */
export function noteShown(folder: string, reader: string, keys: readonly string[]): void {
  appendPrivate(sessionFile(folder, reader, ".log"), keys.map((key) => `${key}\n`).join(""));
}

/** After compaction the agent no longer has what it was shown. */
export function forgetShown(folder: string, reader: string): void {
  rmSync(sessionFile(folder, reader, ".log"), { force: true });
}

/** A file or command that was looked up, whatever came of it. */
export function lookedUp(kind: string, subject: string): string {
  return `${kind}=${shortHash(subject)}`;
}
