// Finds the rollouts of Codex CLI on this machine.
import { basename, join } from "node:path";
import { describeFile, type Env, homeOf, listFolder, newestFirst, pathIn, readHead } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";

export function codexHome(env: Env): string {
  return env["CODEX_HOME"] || join(homeOf(env), ".codex");
}

/** `sessions/YYYY/MM/DD/rollout-*.jsonl`; archived rollouts are in one folder without levels. */
export function findCodexTranscripts(
  env: Env,
  folders = ["sessions", "archived_sessions"].map((name) => join(codexHome(env), name)),
): TranscriptFile[] {
  return newestFirst(folders.flatMap((folder) => rollouts(folder, 3)));
}

function rollouts(folder: string, depth: number): TranscriptFile[] {
  return listFolder(folder).flatMap((entry) => {
    const path = pathIn(folder, entry.name);
    if (entry.isDirectory()) return depth > 0 ? rollouts(path, depth - 1) : [];
    return codexTranscript(path);
  });
}

/** Zero or one, by its path. A subagent's thread names its parent in its first line. */
export function codexTranscript(path: string): TranscriptFile[] {
  const id = /^rollout-.+?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i.exec(basename(path))?.[1];
  if (id === undefined) return [];
  const head = readHead(path);
  const parent = /"parent_thread_id"\s*:\s*"([^"]{1,256})"/.exec(head)?.[1];
  const root = /"session_id"\s*:\s*"([^"]{1,256})"/.exec(head)?.[1];
  const isSubagent = parent !== undefined && parent !== id;
  const sessionId = isSubagent ? (root !== id && root) || parent : id;
  return describeFile(path, { agent: "codex", sessionId, isSubagent });
}
