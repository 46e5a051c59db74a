// The content of a file at a revision or on disk, and the reason of each of its lines.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AppError, nothingFound, usageError } from "../core/error.ts";
import { splitLines } from "../core/lines/file-change.ts";
import { matchLines, withoutBlanks } from "../core/lines/match-lines.ts";
import { count, oneLine } from "../core/text.ts";
import { linkBatch } from "../memory/commits/link-commits.ts";
import { readCommits } from "../memory/commits/read-commits.ts";
import { statOf } from "../platform/read-file.ts";
import {
  type BlamedLine,
  blameLines,
  fileInCommit,
  findInHead,
  type GitPlace,
  isRepository,
  lastCommitWith,
  resolveRevision,
} from "../recall/lines/blame-commits.ts";
import { explainFile, type FileHistory, type LineReason } from "../recall/lines/explain-file.ts";
import { countUnindexed, updateSearchIndex } from "../store/fts/search-index.ts";
import { unreadCommits } from "../store/tables/repository-reads.ts";
import type { QueryContext } from "./query.ts";
import { checkReadable, type LineRange, linesHint, type WhyTarget } from "./why-target.ts";

/** After a large import, the rest is indexed by the worker. */
const MAX_INDEX_MS = 200;
const MAX_FILE_BYTES = 8 * 1024 * 1024;

export interface ExplainedFile {
  lines: string[];
  reasons: LineReason[];
  /** The lines that were asked about, counted from 1. */
  range: LineRange;
  /** The commit whose version of the file was read; undefined for the file on disk. */
  sha: string | undefined;
  isDeleted: boolean;
}

export async function explainTarget(
  context: QueryContext,
  target: Extract<WhyTarget, { kind: "file" }>,
  at: string | undefined,
): Promise<ExplainedFile> {
  const { db, env } = context;
  // The file may be in a repository of its own inside the project: a submodule, or a clone.
  const inner = target.inner ?? { top: target.top, path: target.path };
  const git: GitPlace = { top: inner.top, env };
  checkReadable(context, target, join(target.top, target.path));
  const { content, sha, isDeleted, until } = await readVersion(git, inner.path, at);
  if (content.includes("\0"))
    throw usageError(`${oneLine(target.path, 300)} is a binary file.`, "Only text files have lines.");
  const lines = splitLines(content);
  const range = checkRange(target, lines.length);
  const isWhole = target.range === undefined;
  const outer = target.path.slice(0, target.path.length - inner.path.length);
  const history = readHistory(git, { sha, path: inner.path, lines, range, isWhole, outer });
  indexNames(db);
  const reasons = await explainFile(db, {
    projectId: target.project.id,
    top: target.top,
    path: target.path,
    lines,
    history,
    until,
    readCommitted: (commit, path) => fileInCommit(git, commit, path.slice(outer.length)),
    // The sessions of the project are not compared with the commits of another repository.
    linkCommits: async (shas) => {
      if (target.inner === undefined) await linkShas(context, target.project.id, git, shas);
    },
  });
  return { lines, reasons, range, sha, isDeleted };
}

interface Version {
  content: string;
  sha: string | undefined;
  isDeleted: boolean;
  /** Edits after this time are not in this version. */
  until: number;
}

const CLOCK_MS = 60_000;

async function readVersion(git: GitPlace, path: string, at: string | undefined): Promise<Version> {
  if (at !== undefined) {
    const sha = await resolveRevision(git, at);
    if (sha === undefined) throw await noCommit(git, at);
    const content = await fileInCommit(git, sha, path);
    if (content === undefined)
      throw nothingFound(
        `${oneLine(path, 300)} is not in ${sha.slice(0, 9)}.`,
        `Other versions: git log -- ${oneLine(path, 300)}`,
      );
    return { content, sha, isDeleted: false, until: (await timeOf(git, sha)) + CLOCK_MS };
  }
  const full = join(git.top, path);
  const stat = statOf(full);
  if (stat?.isFile()) {
    if (stat.size > MAX_FILE_BYTES)
      throw usageError(
        `${oneLine(path, 300)} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB.`,
        "It is not read line by line.",
      );
    return { content: readFileSync(full, "utf8"), sha: undefined, isDeleted: false, until: Number.MAX_SAFE_INTEGER };
  }
  const sha = await lastCommitWith(git, path);
  const content = sha === undefined ? undefined : await fileInCommit(git, sha, path);
  if (content === undefined)
    throw nothingFound(
      `${oneLine(path, 300)} is not on disk, and no commit has it.`,
      linesHint(path) ?? `\`c-mem blame ${oneLine(path, 300)}\` lists the sessions that changed it.`,
    );
  return { content, sha, isDeleted: true, until: Number.MAX_SAFE_INTEGER };
}

async function noCommit(git: GitPlace, at: string): Promise<AppError> {
  const hint = "--at takes a commit, branch or tag: v1.2, HEAD~3.";
  if (/[:\s]/.test(at) || at.trim() === "") return usageError(`Invalid revision "${oneLine(at, 120)}".`, hint);
  if (await isRepository(git)) return nothingFound(`No commit "${oneLine(at, 120)}" in this repository.`, hint);
  return nothingFound(`git finds no repository in ${oneLine(git.top, 300)}.`, "--at needs git and a repository.");
}

async function timeOf(git: GitPlace, sha: string): Promise<number> {
  for await (const [commit] of readCommits(git, [sha])) if (commit !== undefined) return commit.committedAt;
  return Number.MAX_SAFE_INTEGER;
}

function checkRange({ path, range }: { path: string; range: LineRange | undefined }, length: number): LineRange {
  if (range === undefined) return [1, length];
  if (length === 0) throw usageError(`${oneLine(path, 300)} is empty.`);
  if (range[0] > length)
    throw usageError(`${oneLine(path, 300)} has only ${count(length, "line")}.`, `Lines: 1-${length}`);
  return [range[0], Math.min(range[1], length)];
}

interface HistoryRequest {
  /** Undefined for the file on disk, which is compared with HEAD. */
  sha: string | undefined;
  path: string;
  lines: readonly string[];
  range: LineRange;
  isWhole: boolean;
  /** The repository's folder in the project: "" or "vendor/lib/". */
  outer: string;
}

async function readHistory(git: GitPlace, request: HistoryRequest): Promise<FileHistory | "none" | "unknown"> {
  const { sha, path } = request;
  const found = await readBlame(git, { ...request, sha: sha ?? "HEAD" });
  if (found !== undefined) return found;
  const before = sha === undefined ? await findInHead(git, path) : undefined;
  if (before?.kind === "none") return "none";
  if (before?.kind !== "at" || before.path === path) return "unknown";
  return (await readBlame(git, { ...request, sha: "HEAD", path: before.path })) ?? "unknown";
}

/** For some lines, only these are looked up: git takes longest for the oldest lines. */
async function readBlame(
  git: GitPlace,
  { sha, path, lines, range, isWhole, outer }: HistoryRequest & { sha: string },
): Promise<FileHistory | undefined> {
  const blame = async (followMoves: boolean, ranges?: readonly LineRange[]) =>
    inProject(await blameLines(git, { sha, path, ranges, followMoves }), outer);
  if (isWhole) {
    const blamed = await blame(false);
    if (blamed === undefined) return undefined;
    const committed = Array.from({ length: blamed.size }, (_, index) => blamed.get(index + 1)?.text ?? "");
    return { blamed, committed, followMoves: (numbers) => blame(true, toRanges(numbers, blamed.size)) };
  }
  const content = await fileInCommit(git, sha, path);
  if (content === undefined) return undefined;
  const committed = splitLines(content);
  const wanted = [...matchLines(withoutBlanks(committed), withoutBlanks(lines))].slice(range[0] - 1, range[1]);
  const numbers = wanted.flatMap((at) => (at < 0 ? [] : [at + 1]));
  if (numbers.length === 0) return { blamed: new Map(), committed };
  const blamed = await blame(true, toRanges(numbers, committed.length));
  return blamed && { blamed, committed };
}

/** The files of a repository inside the project, as the project names them. */
function inProject(blamed: Map<number, BlamedLine> | undefined, outer: string): Map<number, BlamedLine> | undefined {
  if (blamed !== undefined && outer !== "") for (const line of blamed.values()) line.path = outer + line.path;
  return blamed;
}

/** Ranges that are this near are one: each range costs git a search of its own. */
const NEAR_LINES = 5;

/** 1, 2, 9 -> 1-2, 9-9 */
function toRanges(numbers: readonly number[], length: number): LineRange[] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    const [from, to] = [Math.max(1, number - NEAR_LINES), Math.min(length, number + NEAR_LINES)];
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else ranges.push([from, to]);
  }
  return ranges;
}

/** A query looks at this many commits that the worker did not read yet. */
const MAX_NEW_COMMITS = 60;

/** Shell commands are found by the names of files in them. */
function indexNames(db: QueryContext["db"]): void {
  if (countUnindexed(db) > 0) updateSearchIndex(db, { maxMs: MAX_INDEX_MS });
}

/** Compares commits with the sessions as the worker does. */
export async function linkShas(
  { db }: QueryContext,
  projectId: number,
  git: GitPlace,
  shas: readonly string[],
): Promise<void> {
  const unread = unreadCommits(db, projectId, shas).slice(0, MAX_NEW_COMMITS);
  if (unread.length > 0) indexNames(db);
  for await (const commits of readCommits(git, unread)) await linkBatch(db, projectId, git, commits);
}
