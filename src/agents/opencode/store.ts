// Reads OpenCode's sessions: one file per session, message and part, or since early 2026 rows in a database.
import { basename, join } from "node:path";
import type { SQLOutputValue } from "node:sqlite";
import { asId, asObject, asString, asTime, type JsonObject, parseJson } from "../../core/json.ts";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import { listFolder } from "../../platform/read-file.ts";
import { readWhole } from "../agent-files.ts";

export interface Session {
  info: JsonObject;
  /** Sorted by time. */
  messages: { info: JsonObject; parts: JsonObject[] }[];
}

/** The path by which C-Mem names a session in a database: "/data/opencode.db#ses_1". */
export function databasePath(database: string, sessionId: string): string {
  return `${database}#${sessionId}`;
}

export function databaseOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("#")));
}

export function sessionAt(path: string): string {
  return isFile(path) ? basename(path, ".json") : path.slice(path.lastIndexOf("#") + 1);
}

function isFile(path: string): boolean {
  return path.endsWith(".json");
}

/** The path of another session in the same folder or database. */
function siblingPath(path: string, sessionId: string): string {
  // OpenCode's ids have only word characters. Another id, such as "../x", must not lead to another folder.
  const name = /^\w+$/.test(sessionId) ? sessionId : "unknown";
  return isFile(path) ? join(path, "..", `${name}.json`) : databasePath(databaseOf(path), name);
}

export function loadSession(path: string): Session | undefined {
  const id = sessionAt(path);
  const info = isFile(path)
    ? asObject(parseJson(readWhole(path)))
    : query(databaseOf(path), "SELECT * FROM session WHERE id = ?", id).map(sessionInfo)[0];
  if (info === undefined) return undefined;
  const partsOf = partsReader(path);
  const messages = messagesOf(path).map((message) => ({ info: message, parts: partsOf(String(message["id"])) }));
  return { info: { ...info, id }, messages };
}

/** `storage/session/<project>/<session>.json` beside `storage/message/<session>` and `storage/part/<message>`. */
function storageOf(path: string): string {
  return join(path, "..", "..", "..");
}

function messagesOf(path: string): JsonObject[] {
  if (isFile(path)) return jsonFiles(join(storageOf(path), "message", sessionAt(path)));
  const sql = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id";
  return query(databaseOf(path), sql, sessionAt(path)).map(parseRow);
}

function partsReader(path: string): (messageId: string) => JsonObject[] {
  if (isFile(path)) return (messageId) => jsonFiles(join(storageOf(path), "part", messageId));
  const sql = "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id";
  const rows = Map.groupBy(query(databaseOf(path), sql, sessionAt(path)), (row) => String(row["message_id"]));
  return (messageId) => (rows.get(messageId) ?? []).map(parseRow);
}

function allSessions(path: string): JsonObject[] {
  return isFile(path) ? jsonFiles(join(path, "..")) : query(databaseOf(path), "SELECT * FROM session").map(sessionInfo);
}

/**
 * Finds the original of a fork: for "X (fork #2)" the older session titled "X (fork #1)" with a message at the same time
 * as one of the fork's. `times`: when the original's messages were created.
 */
export function originalOf(path: string, { info, messages }: Session) {
  const [, base = "", number] = /^([\s\S]+) \(fork #(\d{1,9})\)$/.exec(asString(info["title"]) ?? "") ?? [];
  if (number === undefined) return undefined;
  const title = number === "1" ? base : `${base} (fork #${Number(number) - 1})`;
  const before = createdAt(info);
  const originals = allSessions(path)
    .filter((session) => session["title"] === title && createdAt(session) < before)
    .map((session) => {
      const id = asId(session["id"]) ?? "";
      return { id, times: new Set(messagesOf(siblingPath(path, id)).map(createdAt).filter(Boolean)) };
    });
  return originals.find(({ times }) => messages.some(({ info: message }) => times.has(createdAt(message))));
}

/** 0 if the time is missing. */
export function createdAt(info: JsonObject): number {
  return asTime(asObject(info["time"])?.["created"]) ?? 0;
}

const MAX_DEPTH = 20;

/** True if a private prompt started this subagent, or a subagent above it. */
export function isStartedInPrivate(path: string, { info }: Session, depth = 0): boolean {
  const id = asId(info["id"]);
  const parentId = asId(info["parentID"]);
  if (parentId === undefined || depth === MAX_DEPTH) return false;
  const parentPath = siblingPath(path, parentId);
  const parent = loadSession(parentPath);
  if (parent === undefined) return false;
  let isPrivate = false;
  for (const { info: message, parts } of parent.messages) {
    const text = message["role"] === "user" ? typedText(parts) : undefined;
    if (text !== undefined) isPrivate = isWhollyPrivate(text);
    const started = parts.map((part) => asId(asObject(asObject(part["state"])?.["metadata"])?.["sessionId"]));
    if (isPrivate && started.includes(id)) return true;
  }
  return isStartedInPrivate(parentPath, parent, depth + 1);
}

/** The text that a person typed. Synthetic parts are files and notices; a compaction has the user role, too. */
export function typedText(parts: readonly JsonObject[]): string | undefined {
  if (parts.some((part) => part["type"] === "compaction")) return undefined;
  const typed = parts.filter((part) => part["synthetic"] !== true && part["ignored"] !== true);
  const text = textOf(typed, "text", "\n");
  return text.trim() === "" ? undefined : text;
}

export function textOf(parts: readonly JsonObject[], type: string, separator: string): string {
  return parts
    .filter((part) => part["type"] === type)
    .map((part) => asString(part["text"]))
    .filter(Boolean)
    .join(separator);
}

/** Sorted by id, which is by time. The file name is used as the id: a moved file may contain another id. */
function jsonFiles(folder: string): JsonObject[] {
  return jsonNames(folder).flatMap((name) => {
    const value = asObject(parseJson(readWhole(join(folder, name))));
    return value === undefined ? [] : [{ ...value, id: basename(name, ".json") }];
  });
}

export function jsonNames(folder: string): string[] {
  return listFolder(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
}

type Row = Record<string, SQLOutputValue>;

function parseRow({ id, data }: Row): JsonObject {
  return { ...asObject(parseJson(asString(data))), id: String(id) };
}

/** Converts the row to the form of the older files. */
function sessionInfo(row: Row): JsonObject {
  const text = (column: string) => asString(row[column]) ?? null;
  return {
    id: text("id"),
    parentID: text("parent_id"),
    directory: text("directory"),
    title: text("title"),
    version: text("version"),
    time: { created: numberOf(row["time_created"]), updated: numberOf(row["time_updated"]) },
  };
}

export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

const BUSY_TIMEOUT_MS = 2_000;

/** Opens the database read-only. Returns no rows if that or the query fails. */
export function query(database: string, sql: string, ...values: string[]): Row[] {
  try {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(database, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      return db.prepare(sql).all(...values);
    } finally {
      db.close();
    }
  } catch {
    return [];
  }
}
