// Searches C-Mem's files for secrets and private text: rows, indexes, free pages, logs, archives.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { PROGRAM_FOLDERS } from "../../config/paths.ts";
import { addKinds, cleaned, cleanedJson } from "../../core/privacy/cleaned-text.ts";
import { secretRanges } from "../../core/privacy/redact.ts";
import { eachChunk } from "../../platform/read-file.ts";
import { isDamage, withDriver } from "../../store/db/driver.ts";
import { type ByteRange, freePages } from "../../store/db/file-format.ts";
import { eachText } from "../../store/reads/text-rows.ts";
import { isUnclean } from "../erase/erase-rows.ts";

/** The place and kinds of a secret or private text, but never the text. */
export interface Finding {
  /** Relative to the data directory, if it is inside. */
  file: string;
  kinds: Record<string, number>;
  /** Set if it was found in a row, like the next three fields. */
  table?: string;
  column?: string;
  row?: string;
  session_id?: string | null;
  /** Set if it was found elsewhere in a file. */
  offset?: number;
  /** Set if the bytes no longer belong to a row. */
  isDead?: true;
}

export interface Audit {
  files: number;
  bytes: number;
  texts: number;
  findings: Finding[];
  /** Files that could not be parsed: only their bytes were searched. */
  unreadable: string[];
}

/** `server.json` and the worker's lock contain tokens that C-Mem needs. */
const SKIPPED = new Set([...PROGRAM_FOLDERS, "server.json", "worker"]);
const DATABASE = /\.db$/;

/** `others`: C-Mem's folders outside the data directory. */
export function audit(home: string, others: readonly string[] = []): Audit {
  const result: Audit = { files: 0, bytes: 0, texts: 0, findings: [], unreadable: [] };
  const outside = others.flatMap((folder) => recordedFiles(folder).map((file) => join(folder, file)));
  for (const file of [...recordedFiles(home), ...outside]) {
    const path = resolve(home, file);
    result.files += 1;
    result.bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    try {
      result.findings.push(...auditFile(path, file));
      if (DATABASE.test(file)) auditRows(path, file, result);
    } catch (error) {
      const code = (error as { code?: string }).code ?? "";
      // Deleted since it was listed.
      if (code === "ENOENT") continue;
      // "Z_BUF_ERROR": an archive that was cut off.
      if (!code.startsWith("Z_") && !isDamage(error)) throw error;
      result.unreadable.push(file);
      if (!DATABASE.test(file)) result.findings.push(...auditBytes(path, file));
    }
  }
  return result;
}

/** Sorted paths, relative to the folder, of the files that may contain recorded text. */
export function recordedFiles(home: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(home, join(entry.parentPath, entry.name)))
    .filter((file) => !SKIPPED.has(file.split(sep)[0] ?? ""))
    .sort();
}

function auditRows(path: string, file: string, result: Audit): void {
  withDriver(path, { readOnly: true }, (db) => {
    const before = result.texts;
    eachText(db, ({ table, column, key, sessionId, isJson }, text) => {
      result.texts += 1;
      const clean = isJson ? cleanedJson(text) : cleaned(text);
      if (clean === undefined) return;
      // A key may be a secret itself.
      const row = cleaned(key.join(" "))?.text ?? key.join(" ");
      result.findings.push({ file, table, column, row, session_id: sessionId, kinds: clean.kinds });
    });
    if (result.texts > before && isUnclean(db))
      result.findings.push({ file, isDead: true, kinds: { "forgotten-text": 1 } });
  });
}

function auditFile(path: string, file: string): Finding[] {
  if (DATABASE.test(file)) return auditBytes(path, file, freePages(path));
  if (file.endsWith("-shm")) return [];
  // Searched as raw bytes: "pw" at the end of one value and "=x" at the start of the next are not a password.
  if (/-(?:wal|journal)$/.test(file)) return auditBytes(path, file);
  const bytes = readFileSync(path);
  if (file.endsWith(".gz"))
    return auditText(process.getBuiltinModule("node:zlib").gunzipSync(bytes).toString("utf8"), file);
  return bytes.includes(0) ? auditBytes(path, file) : auditText(bytes.toString("utf8"), file);
}

/** At most one finding per file: the offset of the first secret and the kinds of all. */
function auditText(text: string, file: string): Finding[] {
  const kinds: Record<string, number> = {};
  let offset: number | undefined;
  let at = 0;
  for (const line of jsonParts(text)) {
    const clean = cleanedJson(line);
    if (clean !== undefined) {
      addKinds(kinds, clean.kinds);
      offset ??= at + commonBytes(line, clean.text);
    }
    at += Buffer.byteLength(line) + 1;
  }
  return offset === undefined ? [] : [{ file, offset, kinds }];
}

/** The whole text if it is JSON, else its lines, each of which may be JSON. */
export function jsonParts(text: string): string[] {
  try {
    JSON.parse(text);
    return [text];
  } catch {
    return text.split("\n");
  }
}

function commonBytes(before: string, after: string): number {
  let length = 0;
  while (length < before.length && before[length] === after[length]) length += 1;
  return Buffer.byteLength(before.slice(0, length));
}

/** Kinds found by a name beside the value. In raw bytes that may be chance, so they count only in free pages. */
const NAMED_KINDS = new Set(["credential", "cookie", "url-password", "curl-user", "bearer", "heroku", "npm"]);
const PRIVATE = /<private[\s>]/gi;
const OVERLAP_BYTES = 64 * 1024;

function auditBytes(path: string, file: string, free: readonly ByteRange[] = []): Finding[] {
  const findings = new Map<number, Finding>();
  eachChunk(path, OVERLAP_BYTES, (chunk, from) => {
    const text = chunk.toString("latin1");
    const tags = Array.from(text.matchAll(PRIVATE), ({ index }) => ({ start: index, name: "private" }));
    for (const { start, name } of [...secretRanges(text), ...tags]) {
      const at = from + start;
      const isDead = free.some(({ offset, length }) => at >= offset && at < offset + length);
      if (NAMED_KINDS.has(name) && !isDead) continue;
      findings.set(at, { file, offset: at, kinds: { [name]: 1 }, ...(isDead && { isDead: true }) });
    }
  });
  return [...findings.values()];
}
