// Finds the chats Gemini CLI has left on this machine.
import { basename, join } from "node:path";
import { describeFile, type Env, homeOf, listFolder, newestFirst, readHead } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";

/** `tmp/<project>/chats/session-*.json(l)`, and the chats of subagents in a folder named after their session. */
export function findGeminiTranscripts(env: Env, folders = [ownFolder(env)]): TranscriptFile[] {
  const files = folders.flatMap((tmp) =>
    listFolder(tmp).flatMap((project) => projectChats(join(tmp, project.name, "chats"))),
  );
  return newestFirst(files);
}

function ownFolder(env: Env): string {
  return join(env["GEMINI_CLI_HOME"] || homeOf(env), ".gemini", "tmp");
}

function projectChats(chats: string): TranscriptFile[] {
  return listFolder(chats).flatMap((entry) => {
    const path = join(chats, entry.name);
    if (entry.isDirectory()) {
      return listFolder(path)
        .filter((file) => /\.jsonl?$/.test(file.name))
        .flatMap((file) => describeFile(join(path, file.name), about(entry.name, true)));
    }
    return geminiTranscript(path);
  });
}

/** Zero or one, by its path. */
export function geminiTranscript(path: string): TranscriptFile[] {
  const short = /^session-(.+)\.jsonl?$/.exec(basename(path))?.[1];
  return short === undefined ? [] : describeFile(path, about(sessionOf(path) ?? short, false));
}

/** The file's name has only the first characters of the id. */
function sessionOf(path: string): string | undefined {
  return /"sessionId"\s*:\s*"([^"]{1,256})"/.exec(readHead(path))?.[1];
}

function about(sessionId: string, isSubagent: boolean) {
  return { agent: "gemini-cli", sessionId, isSubagent };
}
