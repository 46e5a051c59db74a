// Finds the chats of Gemini CLI on this machine.
import { basename, join } from "node:path";
import { listFolder } from "../../platform/read-file.ts";
import { describeFile, type Env, homeOf, newestFirst, readHeadField } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";

export function geminiFolder(env: Env): string {
  return join(env["GEMINI_CLI_HOME"] || homeOf(env), ".gemini");
}

/** Finds `tmp/<project>/chats/session-*.json(l)`, and subagents' chats in folders named by the session's id. */
export function findGeminiTranscripts(env: Env, folders = [join(geminiFolder(env), "tmp")]): TranscriptFile[] {
  const chats = folders.flatMap((tmp) => listFolder(tmp).map((name) => join(tmp, name, "chats")));
  return newestFirst(
    chats.flatMap((folder) =>
      listFolder(folder).flatMap((name) => {
        const path = join(folder, name);
        return CHAT_FILE.test(name) ? geminiTranscript(path) : subagentChats(path, name);
      }),
    ),
  );
}

const CHAT_FILE = /\.jsonl?$/;

function subagentChats(folder: string, sessionId: string): TranscriptFile[] {
  return listFolder(folder)
    .filter((name) => CHAT_FILE.test(name))
    .flatMap((name) => describeFile(join(folder, name), { agent: "gemini-cli", sessionId, isSubagent: true }));
}

/** The transcript at this path, if it is one. The file name has only the first characters of the session's id. */
export function geminiTranscript(path: string): TranscriptFile[] {
  const short = /^session-(.+)\.jsonl?$/.exec(basename(path))?.[1];
  if (short === undefined) return [];
  const sessionId = readHeadField(path)("sessionId") ?? short;
  return describeFile(path, { agent: "gemini-cli", sessionId, isSubagent: false });
}
