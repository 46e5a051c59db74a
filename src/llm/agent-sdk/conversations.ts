// What is kept of the Agent SDK's conversations: a folder for each, with its transcript and a file that names it. So a
// new worker resumes a conversation, and deleting it leaves nothing.
import { rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../platform/crypto.ts";
import { listFolder, readJson, statOf } from "../../platform/read-file.ts";
import { replaceJson } from "../../platform/replace-file.ts";

export interface Conversation {
  /** The SDK's id. */
  id: string;
  /** What was said so far: the next request sends it again. */
  tokens: number;
  /** A hash of the last instructions. */
  instructions: string;
}

/** A conversation that was never closed is deleted after this time. */
const MAX_AGE_MS = 7 * 86_400_000;
const FILE = "conversation.json";

/** `name`: a recorded session's id, which may contain any characters. */
export function conversationFolder(root: string, name: string): string {
  return join(root, sha256(name).slice(0, 32));
}

export function readConversation(folder: string): Conversation | undefined {
  const { id, tokens, instructions = "" } = readJson<Conversation>(join(folder, FILE)) ?? {};
  return typeof id === "string" && typeof tokens === "number" ? { id, tokens, instructions } : undefined;
}

export function saveConversation(folder: string, conversation: Conversation): void {
  replaceJson(join(folder, FILE), conversation, { isDurable: false });
  const now = new Date();
  utimesSync(folder, now, now);
}

/** Retries, because a program that was just killed may still hold a file open. */
export function deleteConversation(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

export function deleteOldConversations(root: string, now: number): void {
  for (const name of listFolder(root)) {
    const age = now - (statOf(join(root, name))?.mtimeMs ?? now);
    if (age > MAX_AGE_MS) deleteConversation(join(root, name));
  }
}
