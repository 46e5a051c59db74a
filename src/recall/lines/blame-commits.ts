// Reads with git which commit last changed each line of a file, following moved and reindented lines as git does.
import { type GitOptions, runGit, unquoteName } from "../../platform/git.ts";
import { shallowCommits } from "../../platform/git-tree.ts";

export interface GitPlace {
  /** The root of the working tree. */
  top: string;
  env: NonNullable<GitOptions["env"]>;
}

export interface BlamedCommit {
  sha: string;
  author: string;
  authoredAt: number;
  committedAt: number;
  subject: string;
  /** It has no parent: git cannot follow a line further. */
  isFirst: boolean;
  /** Its parents are missing in a shallow clone: it need not have written its lines. */
  isCut: boolean;
}

export interface BlamedLine {
  commit: BlamedCommit;
  /** The file in which the commit wrote the line: another one if it was renamed, or if the line was moved. */
  path: string;
  /** The line's number in that file. */
  number: number;
  text: string;
}

const MAX_BLAME_MS = 20_000;
const MAX_BLAME_BYTES = 64 * 1024 * 1024;

/** The full hash of a revision. Undefined without one, or without a repository. */
export async function resolveRevision({ top, env }: GitPlace, revision: string): Promise<string | undefined> {
  // git would read it as an option, or as a list of revisions.
  if (!/^[^-\s:^][^\s:]{0,200}$/.test(revision) || revision.includes("..")) return undefined;
  const sha = (await runGit(top, ["rev-parse", "--verify", "--quiet", `${revision}^{commit}`], { env }))?.trim();
  return sha !== undefined && /^[0-9a-f]{40,64}$/.test(sha) ? sha : undefined;
}

/** The file's content in a commit. Undefined if it is not in it. */
export function fileInCommit({ top, env }: GitPlace, sha: string, path: string): Promise<string | undefined> {
  return runGit(top, ["cat-file", "blob", `${sha}:${path}`], { env, maxBytes: MAX_BLAME_BYTES });
}

/** Where a file that is on disk is in HEAD: at its path, or under another one if it was renamed since. */
export async function findInHead(
  { top, env }: GitPlace,
  path: string,
): Promise<{ kind: "at"; path: string } | { kind: "none" | "unknown" }> {
  const listed = await runGit(top, ["ls-tree", "-z", "--full-tree", "--name-only", "HEAD", "--", path], { env });
  if (listed === undefined) return { kind: (await hasNoCommit({ top, env })) ? "none" : "unknown" };
  if (listed !== "") return { kind: "at", path };
  // Only the index is compared: reading the files would run the repository's filters.
  const args = ["diff-index", "--cached", "-M", "--diff-filter=R", "--name-status", "-z", "HEAD", "--"];
  const renames = (await runGit(top, args, { env, maxBytes: MAX_BLAME_BYTES }))?.split("\0") ?? [];
  const at = renames.findIndex((name, index) => index % 3 === 2 && name === path);
  const from = renames[at - 1];
  return at > 0 && from !== undefined ? { kind: "at", path: from } : { kind: "none" };
}

/** A repository on a branch without a commit. */
async function hasNoCommit({ top, env }: GitPlace): Promise<boolean> {
  if (!(await isRepository({ top, env }))) return false;
  return (await runGit(top, ["rev-parse", "--verify", "--quiet", "HEAD"], { env })) === undefined;
}

/** False without git, too. */
export async function isRepository({ top, env }: GitPlace): Promise<boolean> {
  return (await runGit(top, ["rev-parse", "--git-dir"], { env })) !== undefined;
}

/** HEAD if it has the file, which is only missing on disk. Else the parent of the commit that deleted the file. */
export async function lastCommitWith(place: GitPlace, path: string): Promise<string | undefined> {
  const hasFile = (await runGit(place.top, ["cat-file", "-e", `HEAD:${path}`], { env: place.env })) !== undefined;
  if (hasFile) return resolveRevision(place, "HEAD");
  const args = ["rev-list", "--max-count=1", "HEAD", "--", `:(top,literal)${path}`];
  const deleting = (await runGit(place.top, args, { env: place.env }))?.trim();
  return deleting ? resolveRevision(place, `${deleting}~1`) : undefined;
}

interface BlameRequest {
  /** A revision that was checked before. */
  sha: string;
  path: string;
  /** Only these lines, counted from 1; all if undefined. */
  ranges?: readonly (readonly [number, number])[] | undefined;
  /** Also follow lines that were moved, or copied from another file that the commit changed. Three times as slow. */
  followMoves: boolean;
}

/** Undefined if the file is not in the commit. */
export async function blameLines(
  { top, env }: GitPlace,
  { sha, path, ranges = [], followMoves }: BlameRequest,
): Promise<Map<number, BlamedLine> | undefined> {
  const range = ranges.flatMap(([first, last]) => ["-L", `${first},${last}`]);
  const moves = followMoves ? ["-M", "-C"] : [];
  const blame = (...options: string[]): Promise<string | undefined> =>
    runGit(top, ["blame", "--porcelain", "-w", ...moves, "--no-textconv", ...options, ...range, sha, "--", path], {
      env,
      timeoutMs: MAX_BLAME_MS,
      maxBytes: MAX_BLAME_BYTES,
    });
  const cut = shallowCommits(top);
  const startedAt = performance.now();
  const found = await blame();
  // git fails at once if blame.ignoreRevsFile names a file that this repository does not have.
  const hasTimedOut = performance.now() - startedAt >= MAX_BLAME_MS;
  const text = found ?? (hasTimedOut ? undefined : await blame("--no-ignore-revs-file"));
  return text === undefined ? undefined : parseBlame(text, cut);
}

const NO_COMMIT: BlamedCommit = {
  sha: "",
  author: "",
  authoredAt: 0,
  committedAt: 0,
  subject: "",
  isFirst: false,
  isCut: false,
};

function parseBlame(text: string, cut: ReadonlySet<string>): Map<number, BlamedLine> {
  const commits = new Map<string, BlamedCommit>();
  /** git prints the file of a commit once, and again if it changes. */
  const paths = new Map<string, string>();
  const blamed = new Map<number, BlamedLine>();
  let [original, line] = [0, 0];
  let commit: BlamedCommit = NO_COMMIT;
  for (const row of text.split("\n")) {
    const [, sha, from, number] = /^([0-9a-f]{40,64}) (\d+) (\d+)(?: \d+)?$/.exec(row) ?? [];
    if (sha !== undefined) {
      [original, line] = [Number(from), Number(number)];
      commit = commits.get(sha) ?? { ...NO_COMMIT, sha, isCut: cut.has(sha) };
      commits.set(sha, commit);
    } else if (row.startsWith("\t"))
      blamed.set(line, {
        commit,
        path: paths.get(commit.sha) ?? "",
        number: original,
        text: row.slice(1).replace(/\r$/, ""),
      });
    else readHeader(row, commit, paths);
  }
  return blamed;
}

function readHeader(row: string, commit: BlamedCommit, paths: Map<string, string>): void {
  const space = row.indexOf(" ");
  const value = row.slice(space + 1);
  if (row === "boundary") commit.isFirst = true;
  switch (row.slice(0, space)) {
    case "author":
      commit.author = value;
      break;
    case "author-time":
      commit.authoredAt = Number(value) * 1000;
      break;
    case "committer-time":
      commit.committedAt = Number(value) * 1000;
      break;
    case "summary":
      commit.subject = value;
      break;
    case "filename":
      paths.set(commit.sha, unquoteName(value));
      break;
  }
}
