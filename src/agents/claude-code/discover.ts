// Finds the transcripts of Claude Code on this machine.
import { basename, dirname, join } from "node:path";
import { listFolder } from "../../platform/read-file.ts";
import { describeFile, type Env, homeOf, newestFirst, pathIn, readHeadField } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";

const SUFFIX = ".jsonl";

/** The folder with Claude Code's settings and sessions. */
export function claudeConfigDir(env: Env): string {
  return env["CLAUDE_CONFIG_DIR"] || join(homeOf(env), ".claude");
}

export function findTranscripts(env: Env, folders = [join(claudeConfigDir(env), "projects")]): TranscriptFile[] {
  return newestFirst(
    folders.flatMap((projects) => listFolder(projects).flatMap((name) => projectFiles(pathIn(projects, name)))),
  );
}

/** The files of one session, found by the transcript path in its hook payloads. */
export function sessionTranscripts(path: string): TranscriptFile[] {
  const sessionId = basename(path, SUFFIX);
  return [...describe(path, sessionId, false), ...subagentFiles(join(dirname(path), sessionId), sessionId)];
}

function projectFiles(folder: string): TranscriptFile[] {
  return listFolder(folder).flatMap((name) => {
    const path = pathIn(folder, name);
    if (!name.endsWith(SUFFIX)) return subagentFiles(path, name);
    if (!name.startsWith("agent-")) return describe(path, name.slice(0, -SUFFIX.length), false);
    // Older versions put a subagent's file beside the session's; only its lines name the session.
    const parent = readHeadField(path)("sessionId");
    return parent === undefined ? [] : describe(path, parent, true);
  });
}

function subagentFiles(sessionFolder: string, sessionId: string): TranscriptFile[] {
  const folder = join(sessionFolder, "subagents");
  return listFolder(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .flatMap((name) => describe(pathIn(folder, name), sessionId, true));
}

function describe(path: string, sessionId: string, isSubagent: boolean): TranscriptFile[] {
  return describeFile(path, { agent: "claude-code", sessionId, isSubagent });
}
