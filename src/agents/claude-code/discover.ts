// Finds the transcripts Claude Code has left on this machine.
import { basename, join } from "node:path";
import { describeFile, listFolder, newestFirst } from "../files.ts";
import type { TranscriptFile } from "../transcript.ts";

export function findTranscripts(configDir: string): TranscriptFile[] {
  const projects = join(configDir, "projects");
  return newestFirst(listFolder(projects).flatMap((project) => projectFiles(join(projects, project.name))));
}

function projectFiles(folder: string): TranscriptFile[] {
  return listFolder(folder).flatMap((entry) => {
    if (entry.name.endsWith(".jsonl")) {
      return describeFile(join(folder, entry.name), about(basename(entry.name, ".jsonl"), false));
    }
    const subagents = join(folder, entry.name, "subagents");
    return listFolder(subagents)
      .filter((file) => file.name.endsWith(".jsonl"))
      .flatMap((file) => describeFile(join(subagents, file.name), about(entry.name, true)));
  });
}

function about(sessionId: string, isSubagent: boolean) {
  return { agent: "claude-code", sessionId, isSubagent };
}
