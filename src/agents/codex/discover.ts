// Finds the rollouts of Codex CLI on this machine.
import { basename, join } from "node:path";
import { listFolder } from "../../platform/read-file.ts";
import { describeFile, type Env, homeOf, newestFirst, pathIn, readHeadField } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";

export function codexHome(env: Env): string {
  return env["CODEX_HOME"] || join(homeOf(env), ".codex");
}

/** Finds `sessions/YYYY/MM/DD/rollout-*.jsonl`, and archived rollouts, which are all in one folder. */
export function findCodexTranscripts(
  env: Env,
  folders = ["sessions", "archived_sessions"].map((name) => join(codexHome(env), name)),
): TranscriptFile[] {
  return newestFirst(folders.flatMap((folder) => rollouts(folder, 3)));
}

function rollouts(folder: string, depth: number): TranscriptFile[] {
  return listFolder(folder).flatMap((name) => {
    const path = pathIn(folder, name);
    return depth > 0 && /^\d+$/.test(name) ? rollouts(path, depth - 1) : codexTranscript(path);
  });
}

/** The transcript at this path, if it is one. The first line of a subagent's thread names its parent. */
export function codexTranscript(path: string): TranscriptFile[] {
  const id = /^rollout-.+?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i.exec(basename(path))?.[1];
  if (id === undefined) return [];
  const field = readHeadField(path);
  const [parent, root] = [field("parent_thread_id"), field("session_id")];
  const isSubagent = parent !== undefined && parent !== id;
  const sessionId = isSubagent ? (root !== id && root) || parent : id;
  return describeFile(path, { agent: "codex", sessionId, isSubagent });
}
