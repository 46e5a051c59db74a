// Finds what `why` is asked about: lines of a file, a commit, or the place that defines a symbol.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { findCaptureContext, findProjectHere } from "../capture/capture-context.ts";
import { isExcludedFile } from "../capture/ignore-files.ts";
import { findPlace, pathFromRoot, type Place, storedPath } from "../capture/project.ts";
import { type AppError, nothingFound, usageError } from "../core/error.ts";
import { splitLines } from "../core/lines/file-change.ts";
import { oneLine } from "../core/text.ts";
import { runGit } from "../platform/git.ts";
import { statOf } from "../platform/read-file.ts";
import { lastCommitWith, resolveRevision } from "../recall/lines/blame-commits.ts";
import { knownPaths, pathsEndingIn } from "../store/reads/blame.ts";
import { projectOfCommit } from "../store/tables/commits.ts";
import { listProjects, type ProjectRow, projectById, projectsNamed } from "../store/tables/projects.ts";
import { locatePath } from "./path-location.ts";
import type { QueryContext } from "./query.ts";

export type LineRange = readonly [first: number, last: number];

export interface WhyPlace {
  project: ProjectRow;
  /** The root of the working tree; of a project that is not on this machine, where it was. */
  top: string;
  place: Place;
}

interface FilePlace extends WhyPlace {
  /** Relative to `top`. */
  path: string;
  /** The file in its own repository, if that is inside of the project's: a submodule, or a clone. */
  inner?: { top: string; path: string };
}

export type WhyTarget =
  | ({ kind: "file"; range: LineRange | undefined; also?: string[] } & FilePlace)
  | ({ kind: "commit"; sha: string } & WhyPlace);

interface Request {
  target: string;
  range: LineRange | undefined;
  project: string | undefined;
}

/** "src/a.ts:3-5" -> src/a.ts with the lines 3 to 5, unless a file has this name. */
export function splitTarget(typed: string, cwd: string | undefined): { target: string; range: LineRange | undefined } {
  if (cwd !== undefined && statOf(resolve(cwd, typed))?.isFile()) return { target: typed, range: undefined };
  const [, target, first, last] = /^(.+?):(\d{1,9})(?:-(\d{1,9}))?$/.exec(typed) ?? [];
  return target === undefined ? { target: typed, range: undefined } : { target, range: readRange(Number(first), last) };
}

/** For "a.js:abc", "a.js:1-" or "a.js#L3": what was probably meant. */
export function linesHint(target: string): string | undefined {
  const [, path] = /^(.+?)(?::|#L\d)[^/\\:]{0,40}$/.exec(target) ?? [];
  return path === undefined ? undefined : `Lines: ${oneLine(path, 200)}:10-20`;
}

export function readRange(first: number, last: number | string | undefined): LineRange {
  const end = last === undefined ? first : Number(last);
  if (first < 1 || end < first)
    throw usageError(
      `Invalid ${last === undefined ? `line ${first}` : `lines ${first}-${end}`}.`,
      "Lines count from 1: src/a.ts:10-20",
    );
  return [first, end];
}

export async function findTarget(context: QueryContext, { target, range, project }: Request): Promise<WhyTarget> {
  if (target.trim() === "" || target.includes("\0")) throw usageError("Name a file, a symbol or a commit.");
  const found = findFile(context, target, project);
  if (found !== undefined) {
    const { isCertain, ...place } = found;
    if (isCertain || (await lastCommitWith({ top: place.top, env: context.env }, place.path)) !== undefined)
      return { ...place, kind: "file", range };
  }
  const here = placeHere(context, project ?? (await projectHaving(context, target)));
  if (range === undefined && /^[0-9a-f]{4,64}$|^HEAD\b|[~^@]/i.test(target)) {
    const sha = await resolveRevision({ top: here.top, env: context.env }, target);
    if (sha !== undefined) return { ...here, kind: "commit", sha };
  }
  const git = { top: here.top, env: context.env };
  const symbol = range === undefined ? await findSymbol(context, here, target) : undefined;
  if (symbol !== undefined) return { ...here, ...symbol, kind: "file" };
  const sha = range === undefined ? await resolveRevision(git, target) : undefined;
  if (sha !== undefined) return { ...here, kind: "commit", sha };
  if (found !== undefined) return { ...found, kind: "file", range };
  throw nothingFound(
    `No file, symbol or commit "${oneLine(target, 120)}" in ${here.project.name}.`,
    linesHint(target) ??
      "Name a file (src/a.ts:10-20), a function or class, or a commit. `c-mem search --kind file` finds files.",
  );
}

interface FoundFile extends FilePlace {
  /** False: "Store.load", "feature/x" and "v1.2" look like a file that was deleted. */
  isCertain: boolean;
}

/** A file on disk, or one that sessions changed. */
function findFile(context: QueryContext, target: string, project: string | undefined): FoundFile | undefined {
  const { db, cwd } = context;
  if (project === undefined && (cwd !== undefined || isAbsolute(target))) {
    const full = resolve(cwd ?? "/", target);
    if (statOf(full)?.isFile()) return { ...fileOnDisk(context, full), isCertain: true };
    if (statOf(full)?.isDirectory())
      throw usageError(`${oneLine(target, 300)} is a folder.`, "Name a file. `c-mem blame` takes folders.");
  }
  const named = project === undefined ? undefined : projectNamed(context, project);
  if (named !== undefined) {
    const full = resolve(named.root, target);
    if (!isInside(named.root, full)) throw outside(full);
    if (statOf(full)?.isFile()) return { ...fileOnDisk(context, full, named), isCertain: true };
  }
  const { names, project: found } =
    named === undefined ? locatePath(context, target) : { names: [target], project: named };
  const owner = found ?? (cwd === undefined ? undefined : findProjectHere(db, { ...context, cwd }).known);
  const scope = owner === undefined ? {} : { projectId: owner.id };
  const [exact] = names.flatMap((name) => knownPaths(db, name, scope));
  const candidates = exact === undefined && /[./]/.test(target) ? pathsEndingIn(db, names[0] ?? target, scope, 3) : [];
  if (candidates.length > 1)
    throw usageError(
      `Several files match "${oneLine(target, 120)}": ${candidates.map(({ path }) => oneLine(path, 120)).join(", ")}.`,
      "Give more of the path.",
    );
  const known = exact ?? candidates[0];
  const row = known === undefined ? undefined : projectById(db, known.project_id);
  if (known !== undefined && row !== undefined) return { ...placeOf(row), path: known.path, isCertain: true };
  if (owner === undefined || !/[./]/.test(target) || /^[~^@]|^HEAD/.test(target)) return undefined;
  const path = names.find((name) => !isAbsolute(name));
  return path === undefined ? undefined : { ...placeOf(owner), path, isCertain: false };
}

/** The file may be in another working tree than the project's main one, or in a repository inside of it. */
function fileOnDisk(context: QueryContext, full: string, named?: ProjectRow): FilePlace {
  // A folder may be a link, but the file itself must be in the project.
  const folder = realpathSync(dirname(full));
  const place = findPlace(folder);
  const real = join(folder, basename(full));
  const known = findProjectHere(context.db, { ...context, cwd: folder }).known;
  const isOwn = known !== undefined && (named === undefined || named.id === known.id);
  const outer = isOwn ? undefined : fileOfOuterProject(context, { real, place, named });
  const row = named ?? known;
  const path = storedPath(real, place);
  const top = place.tree?.top ?? row?.root ?? folder;
  if (outer === undefined && (row === undefined || isAbsolute(path))) throw outside(full);
  const found = outer ?? {
    project: row as ProjectRow,
    top,
    place,
    path: place.tree === undefined ? pathFromRoot(full, top) : path,
  };
  checkReadable(context, found, full);
  if (outer !== undefined) checkReadable(context, { top, place }, full);
  return found;
}

/** For a file in a repository without sessions: the project around it whose sessions changed the file. */
function fileOfOuterProject(
  context: QueryContext,
  { real, place, named }: { real: string; place: Place; named: ProjectRow | undefined },
): FilePlace | undefined {
  if (place.tree === undefined) return undefined;
  const inner = { top: place.tree.top, path: storedPath(real, place) };
  for (let dir = dirname(inner.top), last = ""; dir !== last; [last, dir] = [dir, dirname(dir)]) {
    const outer = findPlace(dir);
    const project = findProjectHere(context.db, { ...context, cwd: dir }).known;
    const path = storedPath(real, outer);
    const isWanted = project !== undefined && (named === undefined || named.id === project.id);
    if (isWanted && knownPaths(context.db, path, { projectId: project.id }).length > 0)
      return { project, top: outer.tree?.top ?? project.root, place: outer, path, inner };
  }
  return undefined;
}

function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return !/^\.\.(?:[/\\]|$)/.test(inside) && !isAbsolute(inside);
}

function outside(path: string): AppError {
  return nothingFound(
    `${oneLine(path, 300)} is not in a project with sessions.`,
    "`c-mem projects` lists the projects that C-Mem knows.",
  );
}

/** A file in the project, also if it is a link, and none that C-Mem must not record. */
export function checkReadable(
  { paths, env }: QueryContext,
  { top, place }: Omit<WhyPlace, "project">,
  full: string,
): void {
  const isOnDisk = statOf(full) !== undefined;
  if (isOnDisk && !isInside(realpathSync(top), realpathSync(full))) throw outside(full);
  const { settings } = findCaptureContext(place.folder, paths.config, env);
  if (isExcludedFile(full, place, settings.excludePaths))
    throw nothingFound(`${oneLine(full, 300)} is excluded from recording.`, "See excludePaths in `c-mem config`.");
}

/** Over HTTP there is no current project: the one whose sessions or repository have this commit. */
async function projectHaving({ db, env, cwd }: QueryContext, target: string): Promise<string | undefined> {
  if (cwd !== undefined) return undefined;
  const linked = projectOfCommit(db, target);
  if (linked !== undefined || !/^[0-9a-f]{7,64}$/i.test(target)) return linked;
  for (const { key, root } of listProjects(db).slice(0, MAX_REPOSITORIES))
    if ((await resolveRevision({ top: root, env }, target)) !== undefined) return key;
  throw nothingFound(`No project has the commit "${oneLine(target, 120)}".`, "`c-mem projects` lists the projects.");
}

const MAX_REPOSITORIES = 30;

function placeHere(context: QueryContext, project: string | undefined): WhyPlace {
  const { db, cwd } = context;
  if (project !== undefined) return placeOf(projectNamed(context, project));
  if (cwd === undefined) throw usageError("Name the project.", "project: a name or key");
  const { here, known } = findProjectHere(db, { ...context, cwd });
  if (known === undefined)
    throw nothingFound(`No sessions of ${here.name} (${here.key}) yet.`, "`c-mem sync` imports earlier sessions.");
  const place = findPlace(cwd);
  return { project: known, place, top: place.tree?.top ?? known.root };
}

function projectNamed({ db }: QueryContext, name: string): ProjectRow {
  const [found] = projectsNamed(db, name);
  if (found === undefined) throw nothingFound(`No project "${oneLine(name, 120)}".`, "`c-mem projects` lists them.");
  return found;
}

function placeOf(project: ProjectRow): WhyPlace {
  const place = findPlace(project.root);
  return { project, place, top: place.tree?.top ?? project.root };
}

const MAX_MATCHES = 400;
/** Before the name: words that define something. */
const DEFINES =
  /(?:\b(?:function|func(?:\s*\([^)]*\))?|fn|def|class|interface|type|enum|struct|trait|impl|module|macro|const|let|var|val|static|record|object)\s*\*?\s*)$/;

const MAX_ALSO = 5;

/**
 * The definition of a symbol: the first line that looks most like one, up to the end of its block. `also`: other places
 * that look like it as much.
 */
async function findSymbol(
  { env }: QueryContext,
  { top }: WhyPlace,
  symbol: string,
): Promise<{ path: string; range: LineRange; also: string[] } | undefined> {
  const [name = "", owner] = symbol.split(/[.#]|::/).toReversed();
  if (!/^[\p{L}_$][\p{L}\p{N}_$]{1,100}$/u.test(name)) return undefined;
  const args = ["grep", "-n", "-I", "-w", "-z", "--no-color", "--untracked", "-F", "-e", name];
  const text = await runGit(top, args, { env, timeoutMs: 5_000, maxBytes: 8 * 1024 * 1024 });
  const [best, ...others] = (text ?? "")
    .split("\n")
    .slice(0, MAX_MATCHES)
    .flatMap((row) => {
      const [path = "", line = "", code = ""] = row.split("\0");
      return /^\d+$/.test(line) ? [{ path, line: Number(line), rank: rankOf(code, name, path) }] : [];
    })
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .filter(({ path }) => owner === undefined || readSource(join(top, path)).some((line) => line.includes(owner)));
  if (best === undefined) return undefined;
  const also = others.filter(({ rank }) => rank === best.rank).slice(0, MAX_ALSO);
  return {
    path: best.path,
    range: [best.line, blockEnd(join(top, best.path), best.line)],
    also: also.map(({ path, line }) => `${path}:${line}`),
  };
}

/** 0: the line only uses the name. */
function rankOf(code: string, name: string, path: string): number {
  const isTest = /(?:^|[/._-])(?:tests?|spec)[/._-]/i.test(path);
  const isText = /\.(?:md|mdx|txt|rst|adoc|html?)$/i.test(path);
  const rank = Math.max(0, ...placesOf(code, name).map((at) => rankAt(code, at, name.length)));
  return rank === 0 ? 0 : rank - (isTest ? 1 : 0) - (isText ? 1.5 : 0);
}

function rankAt(code: string, at: number, length: number): number {
  const [before, after] = [code.slice(0, at), code.slice(at + length)];
  // A variable inside of a function is seldom what is asked for.
  if (DEFINES.test(before)) return /^\s/.test(code) ? 3.5 : 4;
  const isMethod = /^\s*(?:(?:public|private|protected|static|async|override|get|set|export)\s+)*$/.test(before);
  return isMethod && /^\s*\([^;]*\)?[^;]*[{:]\s*$/.test(after) ? 2 : 0;
}

/** Where the name is a whole word: not "save" in "saveAll". */
function placesOf(code: string, name: string): number[] {
  const places: number[] = [];
  for (let at = code.indexOf(name); at >= 0; at = code.indexOf(name, at + 1)) {
    const isPart = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}_$]/u.test(char);
    if (!isPart(code[at - 1]) && !isPart(code[at + name.length])) places.push(at);
  }
  return places;
}

const MAX_BLOCK_LINES = 400;
const MAX_SOURCE_BYTES = 2 * 1024 * 1024;

/** The last line of the block that begins here, by its indentation. */
function blockEnd(file: string, first: number): number {
  const lines = readSource(file);
  const indent = /^\s*/.exec(lines[first - 1] ?? "")?.[0].length ?? 0;
  let last = first;
  for (let number = first + 1; number <= Math.min(lines.length, first + MAX_BLOCK_LINES); number++) {
    const line = lines[number - 1] ?? "";
    if (line.trim() === "") continue;
    const own = /^\s*/.exec(line)?.[0].length ?? 0;
    if (own < indent || (own === indent && !/^\s*[)\]}]/.test(line))) break;
    last = number;
    if (own === indent && /^\s*[}\]]/.test(line)) break;
  }
  return last;
}

/** Without the lines of a large file, or of a link to one. */
function readSource(file: string): string[] {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= MAX_SOURCE_BYTES ? splitLines(readFileSync(file, "utf8")) : [];
}
