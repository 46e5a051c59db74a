// Finds for each line of a file the turn that wrote it: by the recorded edits, else by git and the commit's sessions.
import { asObject, asString, parseJson } from "../../core/json.ts";
import { attributeLines, type LineOrigin } from "../../core/lines/attribute-lines.ts";
import { type RecordedEdit, splitLines } from "../../core/lines/file-change.ts";
import { readUse } from "../../core/lines/read-use.ts";
import { matchLines, withoutBlanks } from "../../core/lines/match-lines.ts";
import type { Db } from "../../store/db/driver.ts";
import { recordedEdits, type RecordedUse, shellWrites } from "../../store/reads/line-evidence.ts";
import { type CommitSession, sessionsOfCommits } from "../../store/tables/commits.ts";
import type { BlamedCommit, BlamedLine } from "./blame-commits.ts";
import { CLOCK_MS, type CommittedLine, findCommittedLines } from "./committed-lines.ts";

export interface LineReason {
  /** The edit or commit by which the line belongs to a session. */
  turn?: CommittedLine["turn"];
  commit?: BlamedCommit;
  /** 0 to 1; undefined without a turn. */
  confidence?: number;
  /**
   * "command": a session behind the commit ran a command that writes the file, or had a subagent do it. "commit": the
   * session edited the file and made the commit, but no edit of it with this line is known.
   */
  basis: "edit" | "command" | "commit" | "none";
  committed: Committed;
}

/** Whether a line is in a commit. "cut": in one before the history of a shallow clone begins. "unknown": git failed. */
export const COMMITTED = ["yes", "no", "cut", "unknown"] as const;
export type Committed = (typeof COMMITTED)[number];

export interface FileToExplain {
  projectId: number;
  /** The root of the working tree in which the file is. */
  top: string;
  path: string;
  lines: readonly string[];
  /** Being read by git. "none": no commit has the file. "unknown": git is missing or failed. */
  history: Promise<FileHistory | "none" | "unknown">;
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

const INEXACT_EDIT = 0.8;

export async function explainFile(db: Db, file: FileToExplain): Promise<LineReason[]> {
  // While git reads the file's history, which takes longest.
  const byOwnPath = attributeByEdits(db, file, [file.path]);
  const history = await file.history;
  if (history === "none" || history === "unknown") {
    const none = file.lines.map(() => undefined);
    const reasons = await explainLines(db, file, none, byOwnPath);
    return history === "none" ? reasons : reasons.map((reason) => ({ ...reason, committed: "unknown" }));
  }
  const numbers = Array.from(matchLines(withoutBlanks(history.committed), withoutBlanks(file.lines)), (at) => at + 1);
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
    const line = blamed[index];
    // The author of the first commit of a shallow clone is not that of all its lines.
    const commit = line?.commit.isCut === true ? undefined : line?.commit;
    const origin = originOf(index, commit);
    const edit = origin && edits[origin.edit];
    const committed = line === undefined ? "no" : commit === undefined ? "cut" : "yes";
    const known = { ...(commit && { commit }), committed } as const;
    if (edit === undefined || origin === undefined) return { basis: "none", ...known };
    return { basis: "edit", turn: turnOf(edit), confidence: origin.isExact ? 1 : INEXACT_EDIT, ...known };
  });
  const shas = [...new Set(reasons.flatMap(({ basis, commit }) => (basis === "none" && commit ? [commit.sha] : [])))];
  if (shas.length === 0) return reasons;
  await linkCommits(shas);
  const byCommit = groupByCommit(sessionsOfCommits(db, projectId, shas), shas);
  const committedLine = findCommittedLines(db, projectId, byCommit);
  const open = lines.flatMap((_, index) => {
    const line = blamed[index];
    const isOpen = line !== undefined && reasons[index]?.basis === "none" && byCommit.has(line.commit.sha);
    return isOpen ? [{ line, index }] : [];
  });
  const committed = await explainInCommits(db, file, { open, missed });
  // A line that is still where the edit wrote it was copied, not moved.
  const inPlace = new Set<string>();
  for (const [index, text] of (committed === undefined ? [] : lines).entries()) {
    const origin = reasons[index]?.basis === "edit" ? originOf(index, reasons[index]?.commit) : undefined;
    if (origin !== undefined) inPlace.add(`${edits[origin.edit]?.tool_use_db_id} ${text.trim()}`);
  }
  return reasons.map((reason, index): LineReason => {
    if (reason.basis !== "none" || reason.commit === undefined) return reason;
    const edit = committed?.(blamed[index]);
    const isCopy = edit !== undefined && inPlace.has(`${edit.tool_use_db_id} ${lines[index]?.trim()}`);
    if (edit !== undefined && !isCopy)
      return { ...reason, basis: "edit", turn: turnOf(edit), confidence: INEXACT_EDIT };
    return { ...reason, ...committedLine(blamed[index]) };
  });
}

function attributeByEdits(db: Db, { projectId, top, lines, until }: FileToExplain, paths: readonly string[]) {
  const edits = [
    ...recordedEdits(db, projectId, paths, until),
    ...paths.flatMap((path) => shellWrites(db, projectId, path, { until })),
  ].sort((a, b) => a.at - b.at || a.tool_use_db_id - b.tool_use_db_id);
  const parsed = edits.map(readUse);
  /** Files with an edit that could not be undone. */
  const missed = new Set<string>();
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
      return edit !== undefined && !isOlder(commit, edit, origin);
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
  { projectId, path, readCommitted, lines: now }: FileToExplain,
  { open, missed }: { open: readonly { line: BlamedLine; index: number }[]; missed: ReadonlySet<string> },
): Promise<((line: BlamedLine | undefined) => RecordedUse | undefined) | undefined> {
  const versions = new Map<string, { edits: RecordedUse[]; origins: (LineOrigin | undefined)[] }>();
  for (const [key, found] of [...Map.groupBy(open, ({ line }) => versionOf(line))].slice(0, MAX_VERSIONS)) {
    const [{ line } = { line: undefined }] = found;
    const edits = line && recordedEdits(db, projectId, [line.path], line.commit.committedAt + CLOCK_MS);
    if (line === undefined || edits === undefined || edits.length === 0) continue;
    const content = await readCommitted(line.commit.sha, line.path);
    const lines = content === undefined ? [] : splitLines(content);
    // Where every edit was undone, an earlier version with the same lines shows nothing else.
    const kept = matchLines(lines, now);
    const isSame = found.every(({ index, line: { number } }) => kept[index] === number - 1);
    if (isSame && line.path === path && !missed.has(path)) continue;
    versions.set(key, { edits, origins: attributeLines(lines, edits.map(readUse)) });
  }
  if (versions.size === 0) return undefined;
  return (line) => {
    const { edits, origins } = (line && versions.get(versionOf(line))) ?? {};
    const origin = line && origins?.[line.number - 1];
    const edit = origin && edits?.[origin.edit];
    return edit === undefined || isOlder(line?.commit, edit, origin) ? undefined : edit;
  };
}

function versionOf({ commit, path }: BlamedLine): string {
  return `${commit.sha}:${path}`;
}

/** A rebase gives old lines a later commit, but keeps the author's time. Amending keeps it, too, and adds later edits. */
function isOlder(commit: BlamedCommit | undefined, edit: RecordedUse, { isExact } = { isExact: true }): boolean {
  if (commit === undefined) return false;
  const at = isExact ? Math.max(commit.authoredAt, commit.committedAt) : commit.authoredAt;
  return at < edit.at - CLOCK_MS;
}

function turnOf(edit: RecordedUse): NonNullable<LineReason["turn"]> {
  const { session_db_id: sessionDbId, own_session_db_id: ownSessionDbId, prompt_number: promptNumber, at } = edit;
  return { sessionDbId, ownSessionDbId, promptNumber, at };
}

/** git may have printed a shorter hash in the session. */
function groupByCommit(links: readonly CommitSession[], shas: readonly string[]): Map<string, CommitSession[]> {
  return Map.groupBy(links, (link) => shas.find((sha) => sha.startsWith(link.sha)) ?? link.sha);
}
