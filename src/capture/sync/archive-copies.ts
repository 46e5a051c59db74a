// The archive on disk: a compressed copy of each transcript, and beside it a small file that says what it is a copy of.
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { TranscriptFile } from "../../agents/transcript.ts";
import { listFolder, statOf } from "../../platform/read-file.ts";
import { sha256 } from "../../platform/crypto.ts";
import { filterText } from "../../core/privacy/filter.ts";

/** What a copy is of, and how far it goes. Written after the copy has grown: what lies beyond `copied` is not part of it. */
export interface Copy {
  version: number;
  /** The transcript as it was found. */
  file: TranscriptFile;
  kind: "lines" | "document";
  /** Bytes of the transcript that were looked at, and a fingerprint of them. */
  offset: number;
  fingerprint: string;
  /** Bytes of the compressed copy: what it goes on from, and with a last line that is still being written. */
  copied: number;
  withTail: number;
  /** Nothing is added any more: a wholly private prompt came. */
  isEnded: boolean;
  /** What kind of subagent it was: that stood in a file of its own. */
  agentType?: string;
  /** The reader's, to go on with; null where it must not be kept. */
  state: unknown;
  /** Of a fork: the sessions whose words it begins with. Copies of older versions do not say. */
  copiedFrom?: string[];
}

/** Loaded, like node:fs/promises, only where there is a copy to read or write: that takes milliseconds. */
function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}

const COPY_SUFFIX = ".gz";
const ABOUT_SUFFIX = ".about.json";

/** Readable, and no two transcripts alike. */
export function copyPath(archive: string, { agent, path }: TranscriptFile): string {
  const [, stem = "", ending = ""] = /^(.*?)((?:\.jsonl?)?)$/.exec(basename(path)) ?? [];
  const readable = filterText(stem)
    .replace(/[^\w.-]/g, "-")
    .slice(0, 80);
  const hash = sha256(path).slice(0, 10);
  return join(archive, agent, `${readable}-${hash}${ending}${COPY_SUFFIX}`);
}

export function readCopy(archive: string, file: TranscriptFile): Copy | undefined {
  return readAbout(aboutPath(copyPath(archive, file)));
}

function aboutPath(copy: string): string {
  return copy.slice(0, -COPY_SUFFIX.length) + ABOUT_SUFFIX;
}

function readAbout(path: string): Copy | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Copy;
  } catch {
    return undefined;
  }
}

/** Adds text after the first `from` bytes of the copy; what a killed run may have left behind them is cut off. The disk may not have it yet. */
export function appendToCopy(archive: string, file: TranscriptFile, from: number, text: string): number {
  const path = copyPath(archive, file);
  const member = zlib().gzipSync(text);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fd = openSync(path, from === 0 ? "w" : "r+", 0o600);
  try {
    ftruncateSync(fd, from);
    let written = 0;
    while (written < member.length) {
      written += writeSync(fd, member, written, member.length - written, from + written);
    }
  } finally {
    closeSync(fd);
  }
  return from + member.length;
}

/** Makes sure that the disk has it: first the copy, then what says how far it goes. */
export async function saveCopy(archive: string, copy: Copy): Promise<void> {
  const path = copyPath(archive, copy.file);
  if (copy.withTail > 0) await makeSure(path, "r+");
  const about = aboutPath(path);
  mkdirSync(dirname(about), { recursive: true, mode: 0o700 });
  try {
    await makeSure(`${about}.tmp`, "w", JSON.stringify(copy));
    renameSync(`${about}.tmp`, about);
  } catch (error) {
    rmSync(`${about}.tmp`, { force: true });
    throw error;
  }
}

async function makeSure(path: string, flags: "r+" | "w", text?: string): Promise<void> {
  const file = await process.getBuiltinModule("node:fs/promises").open(path, flags, 0o600);
  try {
    if (text !== undefined) await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The text of a copy, as far as it is known to be whole. */
export function readCopyText(archive: string, { file, withTail }: Copy): Buffer {
  return zlib().gunzipSync(readFileSync(copyPath(archive, file)).subarray(0, withTail));
}

/** The copy again with another text, in as many pieces: what it is of and how far it goes stays. */
export async function rewriteCopy(archive: string, copy: Copy, rewrite: (text: string) => string): Promise<void> {
  const bytes = readFileSync(copyPath(archive, copy.file));
  const textOf = (from: number, to: number): string => zlib().gunzipSync(bytes.subarray(from, to)).toString("utf8");
  const copied = copy.copied === 0 ? 0 : appendToCopy(archive, copy.file, 0, rewrite(textOf(0, copy.copied)));
  const hasTail = copy.withTail > copy.copied;
  const tail = hasTail ? rewrite(textOf(copy.copied, copy.withTail)) : "";
  const withTail = hasTail ? appendToCopy(archive, copy.file, copied, tail) : copied;
  await saveCopy(archive, { ...copy, copied, withTail });
}

/** Every copy with something in it, sessions before their forks and subagents. */
export function listCopies(archive: string): Copy[] {
  const copies = allCopies(archive).filter((copy) => copy.withTail > 0);
  const rank = ({ file, copiedFrom }: Copy): number => (file.isSubagent ? 2 : copiedFrom?.length ? 1 : 0);
  return copies.sort((a, b) => rank(a) - rank(b));
}

export function allCopies(archive: string): Copy[] {
  const copies = listFolder(archive).flatMap((agent) =>
    listFolder(join(archive, agent))
      .filter((name) => name.endsWith(ABOUT_SUFFIX))
      .map((name) => readAbout(join(archive, agent, name))),
  );
  return copies.filter((copy) => copy !== undefined);
}

export function removeCopy(archive: string, file: TranscriptFile): void {
  const path = copyPath(archive, file);
  rmSync(path, { force: true });
  rmSync(aboutPath(path), { force: true });
}

/** Copies that nothing says yet whose they are, or that a killed run has left so; the next run makes them anew. Returns how many went. */
export function removeUnknownCopies(archive: string): number {
  const unknown = copyPaths(archive).filter((path) => statOf(aboutPath(path)) === undefined);
  for (const path of unknown) rmSync(path, { force: true });
  return unknown.length;
}

export function archiveSize(archive: string): { files: number; bytes: number } {
  const paths = copyPaths(archive);
  return { files: paths.length, bytes: paths.reduce((sum, path) => sum + (statOf(path)?.size ?? 0), 0) };
}

function copyPaths(archive: string): string[] {
  return listFolder(archive).flatMap((agent) =>
    listFolder(join(archive, agent))
      .filter((name) => name.endsWith(COPY_SUFFIX))
      .map((name) => join(archive, agent, name)),
  );
}
