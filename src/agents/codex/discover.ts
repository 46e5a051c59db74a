// Finds the rollouts Codex CLI has left on this machine.
import { basename, join } from "node:path";
import { describeFile, type Env, homeOf, listFolder, newestFirst, pathIn, readHead } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";

/** `sessions/YYYY/MM/DD/rollout-*.jsonl`; what was archived lies flat in a folder of its own. */
export function findCodexTranscripts(env: Env, folders = ownFolders(env)): TranscriptFile[] {
  return newestFirst(folders.flatMap((folder) => rollouts(folder, 3)));
}

function ownFolders(env: Env): string[] {
  const home = env["CODEX_HOME"] || join(homeOf(env), ".codex");
  return [join(home, "sessions"), join(home, "archived_sessions")];
}

function rollouts(folder: string, depth: number): TranscriptFile[] {
  return listFolder(folder).flatMap((entry) => {
    const path = pathIn(folder, entry.name);
    if (entry.isDirectory()) return depth > 0 ? rollouts(path, depth - 1) : [];
    return codexTranscript(path);
  });
}

/** Zero or one, by its path. */
export function codexTranscript(path: string): TranscriptFile[] {
  const id = /^rollout-.+?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i.exec(basename(path))?.[1];
  return id === undefined ? [] : describeFile(path, about(id, readHead(path)));
}

/** A thread that another one spawned says so in its first line. */
function about(id: string, head: string) {
  const parent = /"parent_thread_id"\s*:\s*"([^"]{1,256})"/.exec(head)?.[1];
  const root = /"session_id"\s*:\s*"([^"]{1,256})"/.exec(head)?.[1];
  const isSubagent = parent !== undefined && parent !== id;
  return { agent: "codex", sessionId: isSubagent ? (root !== id && root) || parent : id, isSubagent };
}
