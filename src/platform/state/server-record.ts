// server.json: where the API listens and the token that opens it. Only its owner can read it; the token stays the same.
import { replaceFile } from "../replace-file.ts";
import { randomHex } from "../random-hex.ts";
import { readText } from "../read-file.ts";

export interface ServerRecord {
  /** 256 bits, as hexadecimal digits. */
  token: string;
  /** The port of the last server; null where it could not listen. */
  port: number | null;
  /** The port that was set when the last server started. */
  wanted?: number;
  /** Of the worker that serves; null where none does. */
  pid: number | null;
  /** Why nothing is served, where that was tried. */
  problem?: string | undefined;
}

const TOKEN_BYTES = 32;
const TOKEN = /^[0-9a-f]{64}$/;

export function readServer(path: string): ServerRecord | undefined {
  try {
    const record = JSON.parse(readText(path) ?? "") as Partial<ServerRecord> | null;
    return typeof record?.token === "string" && TOKEN.test(record.token) ? (record as ServerRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** Made once: what was paired with it stays so over every restart. */
export function serverToken(path: string): string {
  return readServer(path)?.token ?? randomHex(TOKEN_BYTES);
}

export function writeServer(path: string, record: ServerRecord): void {
  replaceFile(path, `${JSON.stringify(record, null, 2)}\n`);
}
