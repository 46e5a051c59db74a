// Looks through everything in the data directory for secrets and private text: rows, indexes, free pages, logs, copies.
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { PROGRAM_FOLDERS } from "../../config/paths.ts";
import { addKinds, cleaned, cleanedJson } from "../../core/privacy/cleaned-text.ts";
import { secretRanges } from "../../core/privacy/redact.ts";
import { openDriver } from "../../store/db/driver.ts";
import { hasIndexState, isUnclean } from "../erase/erase-rows.ts";
import { type Extent, freePages } from "../../store/db/free-pages.ts";
import { eachText } from "../../store/reads/text-rows.ts";

/** Where something was found and what kind of thing; never the thing itself. */
export interface Finding {
  /** Relative to the data directory, if it is in there. */
  file: string;
  kinds: Record<string, number>;
  /** A row of a table ... */
  table?: string;
  column?: string;
  row?: string;
  session_id?: string | null;
  /** ... or bytes of a file. */
  offset?: number;
  /** In bytes that belong to no row. */
  isDead?: true;
}

export interface Audit {
  files: number;
  bytes: number;
  texts: number;
  findings: Finding[];
  /** Files that are not what their names say: only their bytes were looked at. */
  unreadable: string[];
}

/** Keys made here, for the page and the worker's lock: without them neither works. */
const OWN_KEYS = ["server.json", "worker"];
const PASSED_OVER = new Set([...PROGRAM_FOLDERS, ...OWN_KEYS]);
const DATABASE = /\.db$/;
const BUSY_TIMEOUT_MS = 5_000;

/** `elsewhere`: folders of ours outside the data directory. */
export function audit(home: string, elsewhere: readonly string[] = []): Audit {
  const result: Audit = { files: 0, bytes: 0, texts: 0, findings: [], unreadable: [] };
  const outside = elsewhere.flatMap((folder) => recordedFiles(folder).map((file) => join(folder, file)));
  for (const file of [...recordedFiles(home), ...outside]) {
    const path = resolve(home, file);
    result.files += 1;
    result.bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    auditInto(result, path, file);
  }
  return result;
}

function auditInto(result: Audit, path: string, file: string): void {
  try {
    result.findings.push(...auditFile(path, file));
    if (!DATABASE.test(file)) return;
    const { texts, findings } = auditRows(path, file);
    result.texts += texts;
    result.findings.push(...findings);
  } catch (error) {
    const { code, errcode } = error as { code?: string; errcode?: number };
    // Gone since it was listed.
    if (code === "ENOENT") return;
    if (!code?.startsWith("Z_") && errcode !== NOT_A_DATABASE && errcode !== DAMAGED) throw error;
    result.unreadable.push(file);
    if (!DATABASE.test(file)) result.findings.push(...auditBytes(path, file, undefined));
  }
}

const DAMAGED = 11;
const NOT_A_DATABASE = 26;

/** Relative to the folder, in order. */
export function recordedFiles(home: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(home, join(entry.parentPath, entry.name)))
    .filter((file) => !PASSED_OVER.has(file.split(sep)[0] ?? ""))
    .sort();
}

export function auditRows(path: string, file: string): { texts: number; findings: Finding[] } {
  const db = openDriver(path, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    const findings: Finding[] = [];
    let texts = 0;
    eachText(db, ({ table, column, key, sessionId, isJson }, text) => {
      texts += 1;
      const clean = isJson ? cleanedJson(text) : cleaned(text);
      if (clean === undefined) return;
      const row = key.join(" ");
      // A row known by its text would give it away.
      const safeRow = cleaned(row)?.text ?? row;
      findings.push({ file, table, column, row: safeRow, session_id: sessionId, kinds: clean.kinds });
    });
    if (texts > 0 && hasIndexState(db) && isUnclean(db))
      findings.push({ file, isDead: true, kinds: { "forgotten-text": 1 } });
    return { texts, findings };
  } finally {
    db.close();
  }
}

function auditFile(path: string, file: string): Finding[] {
  if (DATABASE.test(file)) return auditDatabaseBytes(path, file);
  if (file.endsWith("-shm")) return [];
  // Pages with rows on them: "pw" at the end of one value and "=x" at the start of the next are no password.
  if (/-(?:wal|journal)$/.test(file)) return auditBytes(path, file, undefined);
  if (file.endsWith(".gz"))
    return auditText(process.getBuiltinModule("node:zlib").gunzipSync(readFileSync(path)).toString("utf8"), file);
  const text = readFileSync(path);
  return text.includes(0) ? auditBytes(path, file, undefined) : auditText(text.toString("utf8"), file);
}

/** A file of JSON, or of lines that may each be JSON. One finding a file: where it begins, and what is in it. */
function auditText(text: string, file: string): Finding[] {
  const kinds: Record<string, number> = {};
  let offset: number | undefined;
  let at = 0;
  for (const line of linesOf(text)) {
    const clean = cleanedJson(line);
    if (clean !== undefined) {
      addKinds(kinds, clean.kinds);
      offset ??= at + commonBytes(line, clean.text);
    }
    at += Buffer.byteLength(line) + 1;
  }
  return offset === undefined ? [] : [{ file, offset, kinds }];
}

export function linesOf(text: string): string[] {
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

function auditDatabaseBytes(path: string, file: string): Finding[] {
  const fd = openSync(path, "r");
  try {
    return auditBytes(path, file, freePages(fd));
  } finally {
    closeSync(fd);
  }
}

/** Between rows chance puts a name beside a value: there only shapes that are nothing else count. */
const BY_NAME = new Set(["credential", "cookie", "url-password", "curl-user", "bearer", "heroku", "npm"]);
const PRIVATE = /<private[\s>]/gi;
const CHUNK_BYTES = 4 * 1024 * 1024;
const OVERLAP_BYTES = 64 * 1024;

/** `dead`: where no row can be, all that looks like a secret counts. */
function auditBytes(path: string, file: string, dead: readonly Extent[] | undefined): Finding[] {
  const findings = new Map<number, Finding>();
  const isDead = (at: number): boolean =>
    (dead ?? []).some(({ offset, length }) => at >= offset && at < offset + length);
  eachChunk(path, (text, from) => {
    for (const { start, name } of [...secretRanges(text), ...privateTags(text)]) {
      const offset = from + start;
      if (BY_NAME.has(name) && !isDead(offset)) continue;
      findings.set(offset, { file, offset, kinds: { [name]: 1 }, ...(isDead(offset) && { isDead: true }) });
    }
  });
  return [...findings.values()];
}

function privateTags(text: string): { start: number; name: string }[] {
  return [...text.matchAll(PRIVATE)].map(({ index }) => ({ start: index, name: "private" }));
}

function eachChunk(path: string, visit: (text: string, from: number) => void): void {
  const fd = openSync(path, "r");
  const buffer = Buffer.alloc(CHUNK_BYTES);
  try {
    for (let from = 0; ; from += CHUNK_BYTES - OVERLAP_BYTES) {
      const read = readSync(fd, buffer, 0, CHUNK_BYTES, from);
      if (read > 0) visit(buffer.toString("latin1", 0, read), from);
      if (read < CHUNK_BYTES) return;
    }
  } finally {
    closeSync(fd);
  }
}
