// Finds the sessions of OpenCode on this machine.
import { isAbsolute, join } from "node:path";
import { asId } from "../../core/json.ts";
import { listFolder, statOf } from "../../platform/read-file.ts";
import { type Env, homeOf, newestFirst, readHeadField } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";
import { databaseOf, databasePath, jsonNames, numberOf, query, sessionAt } from "./store.ts";

export function openCodeData(env: Env): string {
  return join(env["XDG_DATA_HOME"] || join(homeOf(env), ".local", "share"), "opencode");
}

/** OpenCode leaves a session's files after moving it into the database: such a session is read from the database. */
export function findOpenCodeTranscripts(env: Env, folders?: readonly string[]): TranscriptFile[] {
  const found = (folders ?? [openCodeData(env)]).flatMap((data) => {
    const rows = (folders === undefined ? databases(env, data) : databasesIn(data)).flatMap(databaseSessions);
    const moved = new Set(rows.map((file) => sessionAt(file.path)));
    const files = fileSessions(join(data, "storage")).filter((file) => !moved.has(sessionAt(file.path)));
    return [...rows, ...files];
  });
  return newestFirst(found);
}

function databases(env: Env, data: string): string[] {
  const named = env["OPENCODE_DB"];
  if (named) return named === ":memory:" ? [] : [isAbsolute(named) ? named : join(data, named)];
  return databasesIn(data);
}

/** Finds `opencode.db`, and `opencode-<channel>.db` of development builds. */
function databasesIn(data: string): string[] {
  return listFolder(data)
    .filter((name) => /^opencode(?:-[\w.-]+)?\.db$/.test(name))
    .map((name) => join(data, name));
}

/** The session at this path, if it is in a database, with its subagents. */
export function openCodeSession(path: string): TranscriptFile[] {
  return path.includes("#")
    ? databaseSessions(databaseOf(path)).filter((file) => file.sessionId === sessionAt(path))
    : [];
}

interface FoundSession extends Pick<TranscriptFile, "path" | "modifiedAt" | "bytes"> {
  id: string;
  parentId: string | undefined;
}

// octet_length is fast because it does not read the text: SQLite stores the length before it.
const SESSIONS = `
  SELECT s.id, s.parent_id, max(s.time_updated, ifnull(p.updated, 0)) AS updated, p.bytes
  FROM session s LEFT JOIN (
    SELECT session_id, max(time_updated) AS updated, sum(octet_length(data)) AS bytes FROM part GROUP BY session_id
  ) p ON p.session_id = s.id`;

function databaseSessions(database: string): TranscriptFile[] {
  const sessions = query(database, SESSIONS).flatMap((row): FoundSession[] => {
    const id = asId(row["id"]);
    if (id === undefined) return [];
    const [modifiedAt, bytes] = [numberOf(row["updated"]), numberOf(row["bytes"])];
    return [{ id, parentId: asId(row["parent_id"]), path: databasePath(database, id), modifiedAt, bytes }];
  });
  return withRoots(sessions);
}

function fileSessions(storage: string): TranscriptFile[] {
  const sessions = listFolder(join(storage, "session")).flatMap((project) => {
    const folder = join(storage, "session", project);
    return jsonNames(folder).flatMap((name): FoundSession[] => {
      const path = join(folder, name);
      const newest = newestOf(storage, sessionAt(path), path);
      const parentId = readHeadField(path)("parentID");
      return newest === undefined ? [] : [{ id: sessionAt(path), parentId, path, ...newest }];
    });
  });
  return withRoots(sessions);
}

/** The time of the last change and the size, from the session's file and its newest message and part only. */
function newestOf(storage: string, id: string, path: string): { modifiedAt: number; bytes: number } | undefined {
  const own = statOf(path);
  if (!own?.isFile()) return undefined;
  const newestIn = (folder: string) => join(folder, jsonNames(folder).at(-1) ?? "none.json");
  const message = newestIn(join(storage, "message", id));
  const part = newestIn(join(storage, "part", sessionAt(message)));
  const stats = [own, statOf(message), statOf(part)].filter((stat) => stat !== undefined);
  return {
    modifiedAt: Math.max(...stats.map((stat) => stat.mtimeMs)),
    bytes: stats.reduce((sum, stat) => sum + stat.size, 0),
  };
}

const MAX_DEPTH = 20;

/** Subagents may start subagents: all are assigned to the session that a person sees. */
function withRoots(sessions: readonly FoundSession[]): TranscriptFile[] {
  const parents = new Map(sessions.map(({ id, parentId }) => [id, parentId]));
  return sessions.map(({ id, parentId, ...file }) => {
    let root = id;
    for (let depth = 0; depth < MAX_DEPTH; depth += 1) root = parents.get(root) ?? root;
    return { agent: "opencode", ...file, sessionId: root, isSubagent: parentId !== undefined };
  });
}
