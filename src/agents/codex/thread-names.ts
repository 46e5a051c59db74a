// Reads the names of Codex's threads, which Codex writes or the user gives: `session_index.jsonl` in Codex's folder,
// one `{"id","thread_name","updated_at"}` per line. The last line of a thread holds.
import { join, sep } from "node:path";
import { asId, asObject, asString, parseJson } from "../../core/json.ts";
import { statOf } from "../../platform/read-file.ts";
import { readWhole } from "../agent-files.ts";

/** A larger file is not read: it would be read for every thread that changed. */
const MAX_BYTES = 8 * 1024 * 1024;

let known: { path: string; changedAt: number; names: ReadonlyMap<string, string> } | undefined;

/** `rollout`: the path of the thread's file, in `sessions/2026/01/02` or `archived_sessions`. */
export function threadName(rollout: string, threadId: string): string | undefined {
  const folders = rollout.split(sep);
  const index = folders.findLastIndex((name) => name === "sessions" || name === "archived_sessions");
  if (index < 1) return undefined;
  const path = join(folders.slice(0, index).join(sep) || sep, "session_index.jsonl");
  const stat = statOf(path);
  if (stat === undefined || stat.size > MAX_BYTES) return undefined;
  if (known?.path !== path || known.changedAt !== stat.mtimeMs)
    known = { path, changedAt: stat.mtimeMs, names: read(path) };
  return known.names.get(threadId);
}

function read(path: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const text of (readWhole(path) ?? "").split("\n")) {
    const line = asObject(parseJson(text));
    const id = asId(line?.["id"]);
    const name = asString(line?.["thread_name"])?.trim();
    if (id !== undefined && name) names.set(id, name);
  }
  return names;
}
