// Where OpenCode keeps its sessions: in a file per session, message and part, and since early 2026 in a database.
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { readWhole } from "../agent-files.ts";
import { asId, asObject, asString, asTime, type JsonObject, parseJson } from "../../core/json.ts";

export interface Session {
  info: JsonObject;
  /** In order of time; each with its parts. */
  messages: { info: JsonObject; parts: JsonObject[] }[];
}

/** How a session in a database is named where a path is asked for. */
export function databasePath(database: string, sessionId: string): string {
  return `${database}#${sessionId}`;
}

export function sessionAt(path: string): string {
  return path.endsWith(".json") ? basename(path, ".json") : path.slice(path.lastIndexOf("#") + 1);
}

/** Where another session of the same store is: files of one project lie in one folder. */
export function siblingPath(path: string, sessionId: string): string {
  // An id that is no plain name is not one of OpenCode's, and must not lead elsewhere.
  const name = /^\w+$/.test(sessionId) ? sessionId : "unknown";
  return path.endsWith(".json") ? join(path, "..", `${name}.json`) : databasePath(databaseOf(path), name);
}

export function databaseOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("#")));
}

export function loadSession(path: string): Session | undefined {
  if (path.endsWith(".json")) return loadFiles(path);
  return withDatabase(databaseOf(path), (db) => loadRows(db, sessionAt(path)));
}

export interface Original {
  id: string;
  /** When what it has was said. */
  times: ReadonlySet<number>;
}

/** The session a fork was made from, if it is still there: only the title tells, and that something was said in both at one moment. */
export function originalOf(path: string, { info, messages }: Session): Original | undefined {
  const [, base = "", number] = /^([\s\S]+) \(fork #(\d{1,9})\)$/.exec(asString(info["title"]) ?? "") ?? [];
  if (number === undefined) return undefined;
  const title = number === "1" ? base : `${base} (fork #${Number(number) - 1})`;
  const before = createdAt(info);
  const older = allSessions(path).filter((one) => one["title"] === title && createdAt(one) < before);
  const originals = older.map(({ id }) => ({ id: asId(id) ?? "", times: timesIn(path, asId(id) ?? "") }));
  return originals.find(({ times }) => messages.some(({ info: message }) => times.has(createdAt(message))));
}

function timesIn(path: string, sessionId: string): Set<number> {
  const rows = (db: DatabaseSync): JsonObject[] =>
    db
      .prepare("SELECT data FROM message WHERE session_id = ?")
      .all(sessionId)
      .map(({ data }) => asObject(parseJson(asString(data))) ?? {});
  const messages = path.endsWith(".json")
    ? jsonFiles(join(path, "..", "..", "..", "message", sessionId))
    : (withDatabase(databaseOf(path), rows) ?? []);
  return new Set(messages.map(createdAt).filter((at) => at > 0));
}

function allSessions(path: string): JsonObject[] {
  if (path.endsWith(".json")) return jsonFiles(join(path, ".."));
  const rows = withDatabase(databaseOf(path), (db) => db.prepare("SELECT * FROM session").all()) ?? [];
  return rows.map(sessionInfo);
}

/** 0 where the time is missing. */
export function createdAt(info: JsonObject): number {
  return asTime(asObject(info["time"])?.["created"]) ?? 0;
}

/** `storage/session/<project>/<session>.json` beside `storage/message/<session>` and `storage/part/<message>`. */
function loadFiles(path: string): Session | undefined {
  const info = asObject(parseJson(readWhole(path)));
  if (info === undefined) return undefined;
  const storage = join(path, "..", "..", "..");
  const id = sessionAt(path);
  const messages = jsonFiles(join(storage, "message", id)).map((message) => ({
    info: message,
    parts: jsonFiles(join(storage, "part", asString(message["id"]) ?? "")),
  }));
  return { info: { ...info, id }, messages };
}

/** Ids grow with time, and the files are named after them. The name counts: moved files may hold another id. */
export function jsonFiles(folder: string): JsonObject[] {
  return jsonNames(folder).flatMap((name) => {
    const value = asObject(parseJson(readWhole(join(folder, name))));
    return value === undefined ? [] : [{ ...value, id: basename(name, ".json") }];
  });
}

export function jsonNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}

export interface SessionRow {
  id: string;
  parentId: string | undefined;
  updatedAt: number;
  bytes: number;
}

// The length in bytes stands before the text, so that this does not read the parts themselves.
const LIST = `
  SELECT s.id, s.parent_id, max(s.time_updated, ifnull(p.updated, 0)) AS updated, p.bytes
  FROM session s LEFT JOIN (
    SELECT session_id, max(time_updated) AS updated, sum(octet_length(data)) AS bytes FROM part GROUP BY session_id
  ) p ON p.session_id = s.id`;

export function listRows(database: string): SessionRow[] {
  const rows = withDatabase(database, (db) => db.prepare(LIST).all()) ?? [];
  return rows.flatMap((row) => {
    const id = asId(row["id"]);
    const parentId = asId(row["parent_id"]);
    return id === undefined ? [] : [{ id, parentId, updatedAt: count(row["updated"]), bytes: count(row["bytes"]) }];
  });
}

function loadRows(db: DatabaseSync, sessionId: string): Session | undefined {
  const row = db.prepare("SELECT * FROM session WHERE id = ?").get(sessionId);
  if (row === undefined) return undefined;
  const parts = new Map<string, JsonObject[]>();
  for (const part of db
    .prepare("SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id")
    .all(sessionId)) {
    const messageId = String(part["message_id"]);
    const siblings = parts.get(messageId) ?? [];
    siblings.push({ ...asObject(parseJson(asString(part["data"]))), id: String(part["id"]) });
    parts.set(messageId, siblings);
  }
  const messages = db
    .prepare("SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id")
    .all(sessionId)
    .map((message) => {
      const id = String(message["id"]);
      return { info: { ...asObject(parseJson(asString(message["data"]))), id }, parts: parts.get(id) ?? [] };
    });
  return { info: sessionInfo(row), messages };
}

/** The row in the shape of the older file. */
function sessionInfo(row: Record<string, unknown>): JsonObject {
  const text = (column: string) => asString(row[column]) ?? null;
  return {
    id: text("id"),
    parentID: text("parent_id"),
    directory: text("directory"),
    title: text("title"),
    version: text("version"),
    time: { created: count(row["time_created"]), updated: count(row["time_updated"]) },
  };
}

function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

const BUSY_TIMEOUT_MS = 2_000;

/** Undefined where there is no such database, or it is of another shape. Never written to. */
function withDatabase<Value>(path: string, use: (db: DatabaseSync) => Value): Value | undefined {
  let db: DatabaseSync | undefined;
  try {
    const { DatabaseSync: Database } = process.getBuiltinModule("node:sqlite");
    db = new Database(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    return use(db);
  } catch {
    return undefined;
  } finally {
    db?.close();
  }
}
