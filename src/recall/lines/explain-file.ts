// Finds for each line of a file the turn that wrote it: by the recorded edits, else by git and the commit's sessions.
import { asObject, asString, parseJson } from "../../core/json.ts";
import { attributeLines, type LineOrigin } from "../../core/lines/attribute-lines.ts";
import { readEdit, type RecordedEdit, splitLines } from "../../core/lines/file-change.ts";
import { shellChanges } from "../../core/lines/shell-writes.ts";
import { matchLines } from "../../core/lines/match-lines.ts";
import type { Db } from "../../store/db/driver.ts";
import { recordedEdits, type RecordedUse, sessionNaming, shellWrites } from "../../store/reads/line-evidence.ts";
import { type CommitSession, sessionsOfCommits } from "../../store/tables/commits.ts";
import type { BlamedCommit, BlamedLine } from "./blame-commits.ts";

export interface LineReason {
  /** The edit or commit by which the line belongs to a session. */
  turn?: { sessionDbId: number; ownSessionDbId: number; promptNumber: number; at: number };
  commit?: BlamedCommit;
  /** 0 to 1; undefined without a turn. */
  confidence?: number;
  basis: "edit" | "commit" | "none";
}

export interface FileToExplain {
  projectId: number;
  /** The root of the working tree in which the file is. */
  top: string;
  path: string;
  lines: readonly string[];
  /** Being read by git. Undefined without git, or if the file has no commit. */
  history: Promise<FileHistory | undefined>;
  /** Later edits are not in this version of the file. */
  until: number;
  /** The content of a file in a commit. */
  readCommitted: (sha: string, path: string) => Promise<string | undefined>;
  /** Links commits that were not compared with the sessions yet. */
  linkCommits: (shas: readonly string[]) => Promise<void>;
}

export interface FileHistory {
  /** Follows these lines of `committed` further: lines that were moved or copied. Undefined if git did so already. */
  followMoves?: (numbers: readonly number[]) => Promise<ReadonlyMap<number, BlamedLine> | undefined>;
  /** The commit's version of the file. */
  committed: readonly string[];
  /** What git says about its lines, or about those that were asked for, by number. */
  blamed: ReadonlyMap<number, BlamedLine>;
}

/** In a commit that carries a session's work, other lines may be by hand: they count less than the commit itself. */
const IN_COMMIT = 0.8;
const INEXACT_EDIT = 0.8;
/** A session behind the commit that named the file. */
const NAMED = 0.6;
/** An edit that is recorded later than a commit cannot have written the commit's lines. */
const CLOCK_MS = 2 * 60_000;

export async function explainFile(db: Db, file: FileToExplain): Promise<LineReason[]> {
  // While git reads the file's history, which takes longest.
  const byOwnPath = attributeByEdits(db, file, [file.path]);
  const history = await file.history;
  if (history === undefined)
    return explainLines(
      db,
      file,
      file.lines.map(() => undefined),
      byOwnPath,
    );
  const numbers = Array.from(matchLines(history.committed, file.lines), (at) => at + 1);
  const blamed = numbers.map((number) => history.blamed.get(number));
  const reasons = await explainLines(db, file, blamed, byOwnPath);
  const open = numbers.filter((_, index) => mayBeMoved(reasons[index]));
  if (history.followMoves === undefined || open.length === 0 || open.length > MAX_MOVED) return reasons;
  const moved = await history.followMoves(open);
  if (
    moved === undefined ||
    !open.some((number) => moved.get(number)?.commit.sha !== history.blamed.get(number)?.commit.sha)
  )
    return reasons;
  return explainLines(
    db,
    file,
    numbers.map((number, index) => moved.get(number) ?? blamed[index]),
    byOwnPath,
  );
}

/** git takes long to look for the origins of more lines. */
const MAX_MOVED = 1_000;

function mayBeMoved(reason: LineReason | undefined): boolean {
  return reason?.basis === "none" && reason.commit?.isFirst === false;
}

async function explainLines(
  db: Db,
  file: FileToExplain,
  blamed: readonly (BlamedLine | undefined)[],
  byOwnPath: ReturnType<typeof attributeByEdits>,
): Promise<LineReason[]> {
  const { projectId, lines, linkCommits } = file;
  const paths = [...new Set([file.path, ...blamed.flatMap((line) => (line === undefined ? [] : [line.path]))])];
  const { edits, originOf, missed } = paths.length === 1 ? byOwnPath : attributeByEdits(db, file, paths);
  const reasons = lines.map((_, index): LineReason => {
    const commit = blamed[index]?.commit;
    const origin = originOf(index, commit);
    const edit = origin && edits[origin.edit];
    if (edit === undefined || origin === undefined) return { basis: "none", ...(commit && { commit }) };
    return {
      basis: "edit",
      turn: turnOf(edit),
      confidence: origin.isExact ? 1 : INEXACT_EDIT,
      ...(commit && { commit }),
    };
  });
  const shas = [...new Set(reasons.flatMap(({ basis, commit }) => (basis === "none" && commit ? [commit.sha] : [])))];
  if (shas.length === 0) return reasons;
  await linkCommits(shas);
  const byCommit = groupByCommit(sessionsOfCommits(db, projectId, shas), shas);
  const linkOfLine = commitLinks(db, projectId, byCommit);
  const committed = await explainInCommits(
    db,
    file,
    // Where every edit was undone, an earlier version of the file shows nothing else.
    blamed.filter((line, index) => {
      const isOpen = line !== undefined && reasons[index]?.basis === "none" && byCommit.has(line.commit.sha);
      return isOpen && (line.path !== file.path || missed.has(line.path));
    }),
  );
  return reasons.map((reason, index): LineReason => {
    if (reason.basis !== "none" || reason.commit === undefined) return reason;
    const edit = committed(reason.commit, blamed[index]);
    if (edit !== undefined) return { ...reason, basis: "edit", turn: turnOf(edit), confidence: INEXACT_EDIT };
    const link = linkOfLine(reason.commit, blamed[index]);
    if (link === undefined) return reason;
    const { session_db_id: sessionDbId, prompt_number: promptNumber, at, confidence } = link;
    const turn = { sessionDbId, ownSessionDbId: sessionDbId, promptNumber, at };
    return { ...reason, basis: "commit", turn, confidence };
  });
}

function attributeByEdits(db: Db, { projectId, top, lines, until }: FileToExplain, paths: readonly string[]) {
  const edits = [
    ...recordedEdits(db, projectId, paths, until),
    ...paths.flatMap((path) => shellWrites(db, projectId, path, until)),
  ].sort((a, b) => a.at - b.at || a.tool_use_db_id - b.tool_use_db_id);
  /** Files with an edit that could not be undone. */
  const missed = new Set<string>();
  const parsed = edits.map(parseUse);
  const together = attributeLines(lines, parsed, (edit) => missed.add(edits[edit]?.path ?? ""));
  const trees = findTrees(edits);
  const own = slashed(top);
  // What a session changes in another working tree is not in this one until it is merged, and may hide what is.
  const byTree = [...Map.groupBy(edits.keys(), (edit) => trees[edit] ?? "")];
  const alternatives = (byTree.length < 2 ? [] : byTree.slice(-MAX_TREES))
    .toSorted(([a], [b]) => Number(b === own) - Number(a === own))
    .map(([tree, indexes]) => ({ tree, origins: attributeSome(lines, parsed, indexes) }));
  const originOf = (line: number, commit: BlamedCommit | undefined): LineOrigin | undefined => {
    const others = alternatives.map(({ origins }) => origins[line]);
    const first = alternatives[0]?.tree === own ? others[0] : undefined;
    const found = together[line];
    const isOwn = found !== undefined && trees[found.edit] === own;
    return [...(isOwn ? [found, first] : [first, found]), ...others].find((origin) => {
      const edit = origin && edits[origin.edit];
      return edit !== undefined && !isOlder(commit, edit);
    });
  };
  return { edits, originOf, missed };
}

/** Edits of more working trees are only undone together. */
const MAX_TREES = 20;

/** Undoes only these edits. */
function attributeSome(
  lines: readonly string[],
  edits: readonly RecordedEdit[],
  indexes: readonly number[],
): (LineOrigin | undefined)[] {
  const some = indexes.flatMap((index) => edits[index] ?? []);
  return attributeLines(lines, some).map((origin) => origin && { ...origin, edit: indexes[origin.edit] ?? -1 });
}

/** The root of the working tree in which each edit was made: "/app" for src/a.ts in /app/src/a.ts. */
function findTrees(edits: readonly RecordedUse[]): string[] {
  const named = edits.map(({ input, path }) => {
    const fields = asObject(parseJson(input));
    const full = slashed(asString(fields?.["file_path"]) ?? asString(fields?.["notebook_path"]) ?? "");
    return full.endsWith(`/${path}`) ? full.slice(0, -path.length - 1) : undefined;
  });
  const known = [...new Set(named.filter((tree) => tree !== undefined))].toSorted((a, b) => b.length - a.length);
  return edits.map(({ cwd }, index) => {
    const folder = slashed(cwd);
    return named[index] ?? known.find((tree) => `${folder}/`.startsWith(`${tree}/`)) ?? folder;
  });
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** A query reads this many earlier versions of files. */
const MAX_VERSIONS = 40;

/**
 * Lines that were moved or reindented since: finds the edit that wrote them in the version of the file that their commit
 * has. Only for commits with sessions behind them.
 */
async function explainInCommits(
  db: Db,
  { projectId, readCommitted }: FileToExplain,
  blamed: readonly (BlamedLine | undefined)[],
): Promise<(commit: BlamedCommit, line: BlamedLine | undefined) => RecordedUse | undefined> {
  const versions = new Map<string, (RecordedUse | undefined)[]>();
  for (const line of blamed) {
    const key = line === undefined ? "" : `${line.commit.sha}:${line.path}`;
    if (line === undefined || versions.has(key) || versions.size >= MAX_VERSIONS) continue;
    const content = await readCommitted(line.commit.sha, line.path);
    const until = line.commit.committedAt + CLOCK_MS;
    const edits = content === undefined ? [] : recordedEdits(db, projectId, [line.path], until);
    const origins = edits.length === 0 ? [] : attributeLines(splitLines(content ?? ""), edits.map(parseUse));
    versions.set(
      key,
      origins.map((origin) => origin && edits[origin.edit]),
    );
  }
  return (commit, line) => {
    const edit = line && versions.get(`${commit.sha}:${line.path}`)?.[line.number - 1];
    return edit === undefined || isOlder(commit, edit) ? undefined : edit;
  };
}

function parseUse(use: RecordedUse): RecordedEdit {
  const input = parseJson(use.input);
  if (use.name === "Bash") return { changes: shellChanges(asString(asObject(input)?.["command"]) ?? "", use) };
  return readEdit({ ...use, input }, use.path);
}

function isOlder(commit: BlamedCommit | undefined, edit: RecordedUse): boolean {
  return commit !== undefined && Math.max(commit.authoredAt, commit.committedAt) < edit.at - CLOCK_MS;
}

function turnOf(edit: RecordedUse): NonNullable<LineReason["turn"]> {
  const { session_db_id: sessionDbId, own_session_db_id: ownSessionDbId, prompt_number: promptNumber, at } = edit;
  return { sessionDbId, ownSessionDbId, promptNumber, at };
}

/** git may have printed a shorter hash in the session. */
function groupByCommit(links: readonly CommitSession[], shas: readonly string[]): Map<string, CommitSession[]> {
  return Map.groupBy(links, (link) => shas.find((sha) => sha.startsWith(link.sha)) ?? link.sha);
}

type CommitLink = Pick<CommitSession, "session_db_id" | "prompt_number"> & { at: number; confidence: number };

/**
 * The session to which a line of a commit leads that no recorded edit wrote. A commit that was linked by the lines of
 * recorded edits may have other lines by hand. They lead to a session only if it did not edit their file, but named it
 * before the commit: a command or an unrecorded subagent wrote them.
 */
function commitLinks(db: Db, projectId: number, byCommit: ReadonlyMap<string, readonly CommitSession[]>) {
  const known = new Map<string, CommitLink | undefined>();
  const find = (links: readonly CommitSession[], { path, commit }: BlamedLine): CommitLink | undefined => {
    const stated = links.find(({ basis }) => basis === "output" || basis === "trailer" || basis === "rewritten");
    const only = stated ?? (links.length === 1 && links[0]?.basis !== "lines" ? links[0] : undefined);
    if (only !== undefined)
      return { ...only, at: only.created_at, confidence: Math.round(only.confidence * IN_COMMIT * 100) / 100 };
    const sessionDbIds = links.map((link) => link.session_db_id);
    if (sessionDbIds.length === 0) return undefined;
    const until = commit.committedAt + CLOCK_MS;
    if (recordedEdits(db, projectId, [path], until).some((edit) => sessionDbIds.includes(edit.session_db_id)))
      return undefined;
    const named = sessionNaming(db, { path, sessionDbIds, until });
    return named && { ...named, confidence: NAMED };
  };
  return (commit: BlamedCommit, line: BlamedLine | undefined): CommitLink | undefined => {
    if (line === undefined) return undefined;
    const key = `${commit.sha}:${line.path}`;
    if (!known.has(key)) known.set(key, find(byCommit.get(commit.sha) ?? [], line));
    return known.get(key);
  };
}
