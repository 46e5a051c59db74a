// Finds the transcripts Claude Code has left on this machine.
import { basename, dirname, join } from "node:path";
import { describeFile, listFolder, newestFirst, readHead } from "../files.ts";
import type { TranscriptFile } from "../transcript.ts";

export function findTranscripts(configDir: string): TranscriptFile[] {
  const projects = join(configDir, "projects");
  return newestFirst(listFolder(projects).flatMap((project) => projectFiles(join(projects, project.name))));
}

/** The files of one session, by the path its hooks name, without looking at all the others. */
export function sessionTranscripts(path: string): TranscriptFile[] {
  const sessionId = basename(path, ".jsonl");
  return [...describeFile(path, about(sessionId, false)), ...subagentFiles(join(dirname(path), sessionId), sessionId)];
}

function projectFiles(folder: string): TranscriptFile[] {
  return listFolder(folder).flatMap((entry) => {
    if (/^agent-.*\.jsonl$/.test(entry.name)) return flatSubagent(join(folder, entry.name));
    if (entry.name.endsWith(".jsonl")) {
      return describeFile(join(folder, entry.name), about(basename(entry.name, ".jsonl"), false));
    }
    return subagentFiles(join(folder, entry.name), entry.name);
  });
}

function subagentFiles(sessionFolder: string, sessionId: string): TranscriptFile[] {
  const folder = join(sessionFolder, "subagents");
  return listFolder(folder)
    .filter((file) => file.name.endsWith(".jsonl"))
    .flatMap((file) => describeFile(join(folder, file.name), about(sessionId, true)));
}

/** Older versions put a subagent's file beside the session's; its lines name the session. */
function flatSubagent(path: string): TranscriptFile[] {
  const parent = /"sessionId"\s*:\s*"([^"]{1,256})"/.exec(readHead(path))?.[1];
  return parent === undefined ? [] : describeFile(path, about(parent, true));
}

function about(sessionId: string, isSubagent: boolean) {
  return { agent: "claude-code", sessionId, isSubagent };
}
