// Whether a subagent's chat was started by a wholly private prompt. Its file does not name the prompt: the time tells.
import { basename, dirname, join } from "node:path";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import { listFolder, readWhole } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";
import { asTime } from "../../core/json.ts";
import { type Chat, parseChat, promptOfMessage } from "./chat.ts";

export function isStartedInPrivate(file: TranscriptFile, chat: Chat): boolean {
  const startedAt = asTime(chat.meta["startTime"]) ?? asTime(chat.messages[0]?.["timestamp"]);
  return parentChats(file).some((parent) => {
    const prompts = parent.messages.flatMap((message) => {
      const text = promptOfMessage(message);
      return text === undefined ? [] : [{ at: asTime(message["timestamp"]) ?? 0, isPrivate: isWhollyPrivate(text) }];
    });
    // When in doubt, private.
    if (startedAt === undefined) return prompts.some(({ isPrivate }) => isPrivate);
    const before = prompts.filter(({ at }) => at <= startedAt);
    return before.toSorted((a, b) => a.at - b.at).at(-1)?.isPrivate ?? false;
  });
}

/** A subagent's folder is named after its session; that one's file has the first characters of the id in its name. */
function parentChats(file: TranscriptFile): Chat[] {
  const folder = dirname(file.path);
  const short = basename(folder).slice(0, 8);
  const chats = dirname(folder);
  return listFolder(chats)
    .filter((entry) => entry.name.startsWith("session-") && entry.name.includes(short))
    .map((entry) => parseChat(readWhole(join(chats, entry.name)) ?? "", { unknown: {} }))
    .filter((chat) => chat.meta["sessionId"] === basename(folder));
}
