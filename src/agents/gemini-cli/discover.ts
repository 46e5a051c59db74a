// Finds the chats of Gemini CLI on this machine.
import { basename, join } from "node:path";
import { describeFile, type Env, homeOf, listFolder, newestFirst, readHead } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";

export function geminiFolder(env: Env): string {
  return join(env["GEMINI_CLI_HOME"] || homeOf(env), ".gemini");
}

/** `tmp/<project>/chats/session-*.json(l)`, and a subagent's chats in a folder named by its session's id. */
export function findGeminiTranscripts(env: Env, folders = [join(geminiFolder(env), "tmp")]): TranscriptFile[] {
  const chats = folders.flatMap((tmp) => listFolder(tmp).map(({ name }) => join(tmp, name, "chats")));
  return newestFirst(
    chats.flatMap((folder) =>
      listFolder(folder).flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? subagentChats(path, entry.name) : geminiTranscript(path);
      }),
    ),
  );
}

function subagentChats(folder: string, sessionId: string): TranscriptFile[] {
  return listFolder(folder)
    .filter(({ name }) => /\.jsonl?$/.test(name))
    .flatMap(({ name }) => describeFile(join(folder, name), { agent: "gemini-cli", sessionId, isSubagent: true }));
}

/** Zero or one, by its path. The file name has only the first characters of the session's id. */
export function geminiTranscript(path: string): TranscriptFile[] {
  const short = /^session-(.+)\.jsonl?$/.exec(basename(path))?.[1];
  if (short === undefined) return [];
  const sessionId = /"sessionId"\s*:\s*"([^"]{1,256})"/.exec(readHead(path))?.[1] ?? short;
  return describeFile(path, { agent: "gemini-cli", sessionId, isSubagent: false });
}
