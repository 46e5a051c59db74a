// server.json: the API's port and token. Only its owner can read it.
import { replaceJson } from "../replace-file.ts";
import { randomHex } from "../crypto.ts";
import { readJson } from "../read-file.ts";

export interface ServerRecord {
  /** 256 bits, as hexadecimal digits. */
  token: string;
  /** The port of the last server; null if it could not listen. */
  port: number | null;
  /** The setting `port` when the last server started. */
  wanted?: number;
  /** The process that runs the server; null if none does. */
  pid: number | null;
  /** Why the server could not start. */
  problem?: string | undefined;
}

const TOKEN_BYTES = 32;
const TOKEN = /^[0-9a-f]{64}$/;

export function readServer(path: string): ServerRecord | undefined {
  const record = readJson<ServerRecord>(path);
  return typeof record?.token === "string" && TOKEN.test(record.token) ? (record as ServerRecord) : undefined;
}

/** Created once, so that paired editors and open pages keep working after a restart. */
export function serverToken(path: string): string {
  return readServer(path)?.token ?? randomHex(TOKEN_BYTES);
}

export function writeServer(path: string, record: ServerRecord): void {
  replaceJson(path, record);
}
