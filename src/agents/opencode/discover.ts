// Finds the sessions OpenCode has left on this machine.
import { isAbsolute, join } from "node:path";
import { type Env, homeOf, listFolder, newestFirst, readHead, statFile } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";
import { databaseOf, databasePath, jsonNames, listRows, sessionAt } from "./store.ts";

/** A session that was moved into the database is read from there: its files are left as they were. */
export function findOpenCodeTranscripts(env: Env, folders?: readonly string[]): TranscriptFile[] {
  const found = (folders ?? [openCodeData(env)]).flatMap((data) => {
    const rows = (folders === undefined ? databases(env, data) : databasesIn(data)).flatMap(databaseSessions);
    const moved = new Set(rows.map((file) => sessionAt(file.path)));
    const files = fileSessions(join(data, "storage")).filter((file) => !moved.has(sessionAt(file.path)));
    return [...rows, ...files];
  });
  return newestFirst(found);
}

export function openCodeData(env: Env): string {
  return join(env["XDG_DATA_HOME"] || join(homeOf(env), ".local", "share"), "opencode");
}

/** `opencode.db`, or `opencode-<channel>.db` for builds that are no releases. */
function databases(env: Env, data: string): string[] {
  const named = env["OPENCODE_DB"];
  if (named) return named === ":memory:" ? [] : [isAbsolute(named) ? named : join(data, named)];
  return databasesIn(data);
}

function databasesIn(data: string): string[] {
  return listFolder(data)
    .filter((entry) => /^opencode(?:-[\w.-]+)?\.db$/.test(entry.name))
    .map((entry) => join(data, entry.name));
}

/** A session in a database, with its subagents, by its path. */
export function openCodeSession(path: string): TranscriptFile[] {
  return path.includes("#")
    ? databaseSessions(databaseOf(path)).filter((file) => file.sessionId === sessionAt(path))
    : [];
}

function databaseSessions(database: string): TranscriptFile[] {
  const rows = listRows(database);
  const parents = new Map(rows.map((row) => [row.id, row.parentId]));
  return rows.map(({ id, updatedAt, bytes }) => ({
    agent: "opencode",
    path: databasePath(database, id),
    sessionId: rootOf(id, (child) => parents.get(child)),
    isSubagent: parents.get(id) !== undefined,
    modifiedAt: updatedAt,
    bytes,
  }));
}

function fileSessions(storage: string): TranscriptFile[] {
  const sessions = listFolder(join(storage, "session")).flatMap((project) => {
    const folder = join(storage, "session", project.name);
    return jsonNames(folder).map((name) => ({ id: name.slice(0, -".json".length), path: join(folder, name) }));
  });
  const parents = new Map(
    sessions.map(({ id, path }) => [id, /"parentID"\s*:\s*"([^"]{1,256})"/.exec(readHead(path))?.[1]]),
  );
  return sessions.flatMap(({ id, path }) => {
    const newest = newestOf(storage, id, path);
    if (newest === undefined) return [];
    const isSubagent = parents.get(id) !== undefined;
    return [{ agent: "opencode", path, sessionId: rootOf(id, (child) => parents.get(child)), isSubagent, ...newest }];
  });
}

/** When a session last changed: looked up in its newest files only, there may be thousands. The bytes are of these. */
function newestOf(storage: string, id: string, path: string): { modifiedAt: number; bytes: number } | undefined {
  const messages = join(storage, "message", id);
  const message = jsonNames(messages).at(-1);
  const parts = join(storage, "part", message?.slice(0, -".json".length) ?? "");
  const part = jsonNames(parts).at(-1);
  const own = statFile(path);
  if (own === undefined) return undefined;
  const found = [own, message && statFile(join(messages, message)), message && part && statFile(join(parts, part))];
  const there = found.filter((stat) => typeof stat === "object");
  return {
    modifiedAt: Math.max(...there.map((stat) => stat.modifiedAt)),
    bytes: there.reduce((sum, stat) => sum + stat.bytes, 0),
  };
}

const MAX_DEPTH = 20;

/** Subagents may start subagents; all belong to the session a person sees. */
function rootOf(id: string, parentOf: (id: string) => string | undefined): string {
  let root = id;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const parent = parentOf(root);
    if (parent === undefined) return root;
    root = parent;
  }
  return root;
}
