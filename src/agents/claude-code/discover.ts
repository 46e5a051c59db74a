// Finds the transcripts Claude Code has left on this machine.
import { type Dirent, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";

export interface TranscriptFile {
  path: string;
  /** The conversation the file belongs to; a subagent's file belongs to the session that started it. */
  sessionId: string;
  isSubagent: boolean;
  modifiedAt: number;
  bytes: number;
}

/** All of them, newest first, so that the first answers are about recent work; a session before its subagents. */
export function findTranscripts(configDir: string): TranscriptFile[] {
  const projects = join(configDir, "projects");
  const files = list(projects).flatMap((project) => projectFiles(join(projects, project.name)));
  return files.sort((a, b) => Number(a.isSubagent) - Number(b.isSubagent) || b.modifiedAt - a.modifiedAt);
}

function projectFiles(folder: string): TranscriptFile[] {
  return list(folder).flatMap((entry) => {
    if (entry.name.endsWith(".jsonl")) return describe(join(folder, entry.name), basename(entry.name, ".jsonl"), false);
    const subagents = join(folder, entry.name, "subagents");
    return list(subagents)
      .filter((file) => file.name.endsWith(".jsonl"))
      .flatMap((file) => describe(join(subagents, file.name), entry.name, true));
  });
}

function describe(path: string, sessionId: string, isSubagent: boolean): TranscriptFile[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? [{ path, sessionId, isSubagent, modifiedAt: stat.mtimeMs, bytes: stat.size }] : [];
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
