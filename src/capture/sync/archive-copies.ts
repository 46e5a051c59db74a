// The archive on disk: a compressed copy of each transcript, with a small description file beside it.
import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readWhole } from "../../agents/agent-files.ts";
import type { TranscriptFile } from "../../agents/transcript.ts";
import { parseJson } from "../../core/json.ts";
import { filterText } from "../../core/privacy/filter.ts";
import { sha256 } from "../../platform/crypto.ts";
import { listFolder, statOf } from "../../platform/read-file.ts";

/** The description file of a copy, written after the copy itself. Bytes of the copy beyond `withTail` are not valid. */
export interface Copy {
  version: number;
  /** The transcript's path, size and time when it was copied. */
  file: TranscriptFile;
  kind: "lines" | "document";
  /** How many bytes of the transcript were copied, and their fingerprint. */
  offset: number;
  fingerprint: string;
  /** Size of the compressed copy without and with a last line that the agent was still writing. */
  copied: number;
  withTail: number;
  /** True after a wholly private prompt: nothing more is added to the copy. */
  isEnded: boolean;
  /** The type of a subagent, which its transcript does not contain. */
  agentType?: string;
  /** The reader's state, to continue from; null if it must not be stored. */
  state: unknown;
  /** Sessions that this one copied text from, if it is a fork. Missing in copies that older versions of C-Mem made. */
  copiedFrom?: string[];
}

/** Loaded when it is first used, like node:fs/promises below, because loading takes milliseconds. */
function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}

const COPY_SUFFIX = ".gz";
const ABOUT_SUFFIX = ".about.json";

/** "claude-code/<session>-<hash of the path>.jsonl.gz". */
export function copyPath(archive: string, { agent, path }: TranscriptFile): string {
  const [, stem = "", ending = ""] = /^(.*?)((?:\.jsonl?)?)$/.exec(basename(path)) ?? [];
  const readable = filterText(stem)
    .replace(/[^\w.-]/g, "-")
    .slice(0, 80);
  const hash = sha256(path).slice(0, 10);
  return join(archive, agent, `${readable}-${hash}${ending}${COPY_SUFFIX}`);
}

function aboutPath(copy: string): string {
  return copy.slice(0, -COPY_SUFFIX.length) + ABOUT_SUFFIX;
}

export function readCopy(archive: string, file: TranscriptFile): Copy | undefined {
  return readAbout(aboutPath(copyPath(archive, file)));
}

function readAbout(path: string): Copy | undefined {
  return parseJson(readWhole(path)) as Copy | undefined;
}

/** Cuts the copy to `from` bytes (a killed run may have left more), appends the text and returns the new size. */
export function appendToCopy(archive: string, file: TranscriptFile, from: number, text: string): number {
  const path = copyPath(archive, file);
  const member = zlib().gzipSync(text);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (from > 0) truncateSync(path, from);
  writeFileSync(path, member, { flag: from === 0 ? "w" : "a", mode: 0o600 });
  return from + member.length;
}

/** Copies per `saveCopies`: syncing 64 small files at once takes as long as syncing one. */
export const MAX_UNSAVED_COPIES = 64;

/** Returns the transcripts whose copies could not be saved, with the error messages. */
export async function saveCopies(
  archive: string,
  copies: readonly Copy[],
): Promise<{ path: string; message: string }[]> {
  const results = await Promise.allSettled(copies.map((copy) => saveCopy(archive, copy)));
  return results.flatMap((result, index) => {
    if (result.status === "fulfilled") return [];
    return [{ path: copies[index]?.file.path ?? "", message: (result.reason as Error).message }];
  });
}

/** Syncs the copy to disk, then writes its description. */
export async function saveCopy(archive: string, copy: Copy): Promise<void> {
  const path = copyPath(archive, copy.file);
  const { open, writeFile } = process.getBuiltinModule("node:fs/promises");
  if (copy.withTail > 0) {
    const file = await open(path, "r+");
    await file.sync().finally(() => file.close());
  }
  const about = aboutPath(path);
  mkdirSync(dirname(about), { recursive: true, mode: 0o700 });
  try {
    await writeFile(`${about}.tmp`, JSON.stringify(copy), { mode: 0o600, flush: true });
    renameSync(`${about}.tmp`, about);
  } catch (error) {
    rmSync(`${about}.tmp`, { force: true });
    throw error;
  }
}

export function readCopyText(archive: string, { file, withTail }: Copy): Buffer {
  return zlib().gunzipSync(readFileSync(copyPath(archive, file)).subarray(0, withTail));
}

/** Rewrites the text of the copy, including its tail, and updates the sizes in the description. */
export async function rewriteCopy(archive: string, copy: Copy, rewrite: (text: string) => string): Promise<void> {
  const bytes = readFileSync(copyPath(archive, copy.file));
  const append = (at: number, from: number, to: number): number => {
    if (from === to) return at;
    const text = zlib().gunzipSync(bytes.subarray(from, to)).toString("utf8");
    return appendToCopy(archive, copy.file, at, rewrite(text));
  };
  const copied = append(0, 0, copy.copied);
  const withTail = append(copied, copy.copied, copy.withTail);
  await saveCopy(archive, { ...copy, copied, withTail });
}

/** All copies that are not empty: sessions first, then forks, then subagents. */
export function listCopies(archive: string): Copy[] {
  const rank = ({ file, copiedFrom }: Copy): number => (file.isSubagent ? 2 : copiedFrom?.length ? 1 : 0);
  return allCopies(archive)
    .filter((copy) => copy.withTail > 0)
    .toSorted((a, b) => rank(a) - rank(b));
}

export function allCopies(archive: string): Copy[] {
  return listArchive(archive, ABOUT_SUFFIX).flatMap((path) => readAbout(path) ?? []);
}

export function removeCopy(archive: string, file: TranscriptFile): void {
  const path = copyPath(archive, file);
  rmSync(path, { force: true });
  rmSync(aboutPath(path), { force: true });
}

/** Deletes the copies without a description, which a killed run may leave. Returns how many it deleted. */
export function removeUndescribedCopies(archive: string): number {
  const unknown = listArchive(archive, COPY_SUFFIX).filter((path) => statOf(aboutPath(path)) === undefined);
  for (const path of unknown) rmSync(path, { force: true });
  return unknown.length;
}

export function archiveSize(archive: string): { files: number; bytes: number } {
  const paths = listArchive(archive, COPY_SUFFIX);
  return { files: paths.length, bytes: paths.reduce((sum, path) => sum + (statOf(path)?.size ?? 0), 0) };
}

function listArchive(archive: string, suffix: string): string[] {
  return listFolder(archive).flatMap((agent) =>
    listFolder(join(archive, agent))
      .filter((name) => name.endsWith(suffix))
      .map((name) => join(archive, agent, name)),
  );
}
