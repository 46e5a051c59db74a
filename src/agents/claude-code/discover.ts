// Finds the transcripts Claude Code has left on this machine.
import { basename, dirname, join } from "node:path";
import { describeFile, type Env, listNames, newestFirst, pathIn, readHead } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";
import { claudeConfigDir } from "./config-dir.ts";

const SUFFIX = ".jsonl";

export function findTranscripts(env: Env, folders = [join(claudeConfigDir(env), "projects")]): TranscriptFile[] {
  return newestFirst(
    folders.flatMap((projects) => listNames(projects).flatMap((name) => projectFiles(pathIn(projects, name)))),
  );
}

/** The files of one session, by the path its hooks name, without looking at all the others. */
export function sessionTranscripts(path: string): TranscriptFile[] {
  const sessionId = basename(path, SUFFIX);
  return [...describeFile(path, about(sessionId, false)), ...subagentFiles(join(dirname(path), sessionId), sessionId)];
}

function projectFiles(folder: string): TranscriptFile[] {
  return listNames(folder).flatMap((name) => {
    const path = pathIn(folder, name);
    if (!name.endsWith(SUFFIX)) return subagentFiles(path, name);
    if (name.startsWith("agent-")) return flatSubagent(path);
    return describeFile(path, about(name.slice(0, -SUFFIX.length), false));
  });
}

function subagentFiles(sessionFolder: string, sessionId: string): TranscriptFile[] {
  const folder = join(sessionFolder, "subagents");
  return listNames(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .flatMap((name) => describeFile(pathIn(folder, name), about(sessionId, true)));
}

/** Older versions put a subagent's file beside the session's; its lines name the session. */
function flatSubagent(path: string): TranscriptFile[] {
  const parent = /"sessionId"\s*:\s*"([^"]{1,256})"/.exec(readHead(path))?.[1];
  return parent === undefined ? [] : describeFile(path, about(parent, true));
}

function about(sessionId: string, isSubagent: boolean) {
  return { agent: "claude-code", sessionId, isSubagent };
}
