// Reads commits with the git program: which there are, and what each of them changed.
import { splitLines } from "../../core/lines/file-change.ts";
import { runGit, unquoteName } from "../../platform/git.ts";
import { shallowCommits } from "../../platform/git-tree.ts";
import { type CommitFacts, type CommitFile, namedCheckpoints } from "./commit-facts.ts";

export interface GitReader {
  /** A folder in the working tree. */
  top: string;
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
}

/** Stashes and notes are no commits of the project, and Entire keeps copies of transcripts on branches of its own. */
const ALL_REFS = [
  "--exclude=refs/stash",
  "--exclude=refs/notes/*",
  "--exclude=refs/heads/entire/*",
  "--exclude=refs/remotes/*/entire/*",
  "--all",
];
const MAX_LISTED = 50_000;
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** The commits that all branches and tags point to, as one text. Undefined without git or a repository. */
export async function listRefs({ top, ...options }: GitReader): Promise<string | undefined> {
  const refs = await runGit(top, ["for-each-ref", "--format=%(objectname)"], { ...options, maxBytes: MAX_LIST_BYTES });
  if (refs === undefined) return undefined;
  const head = await runGit(top, ["rev-parse", "--verify", "--quiet", "HEAD"], options);
  return `${head ?? ""}${refs}`;
}

export interface ListedCommit {
  sha: string;
  committedAt: number;
}

/** The commits of all branches since a time, newest first. */
export async function listCommits({ top, ...options }: GitReader, since: number): Promise<ListedCommit[]> {
  const seconds = Math.max(0, Math.floor(since / 1000));
  const limits = [`--since=${seconds}`, `--max-count=${MAX_LISTED}`, "--format=%H %ct"];
  const args = ["log", ...limits, ...ALL_REFS, "HEAD", "--"];
  const text =
    (await runGit(top, args, { ...options, maxBytes: MAX_LIST_BYTES })) ??
    // HEAD is a branch without a commit.
    (await runGit(
      top,
      args.filter((arg) => arg !== "HEAD"),
      { ...options, maxBytes: MAX_LIST_BYTES },
    ));
  return splitLines(text ?? "").flatMap((line) => {
    const [, sha, time] = /^([0-9a-f]{40,64}) (\d+)$/.exec(line) ?? [];
    return sha === undefined ? [] : [{ sha, committedAt: Number(time) * 1000 }];
  });
}

const BATCH = 50;
const MAX_PATCH_BYTES = 24 * 1024 * 1024;
/** A message cannot have a NUL, but it may be empty: two NULs do not separate commits. */
const FORMAT = "--format=%x00%x01%x00%H%x00%an%x00%at%x00%ct%x00%s%x00%b%x00";

/** Skips commits that git cannot read. */
export async function* readCommits(reader: GitReader, shas: readonly string[]): AsyncGenerator<CommitFacts[], void> {
  if (shas.length === 0) return;
  const cut = shallowCommits(reader.top);
  for (let from = 0; from < shas.length && reader.signal?.aborted !== true; from += BATCH) {
    const commits = await readBatch(reader, shas.slice(from, from + BATCH));
    yield commits.map((commit) => (cut.has(commit.sha) ? { ...commit, files: [], isCut: true } : commit));
  }
}

/**
 * If the patches are too large together, each half is read alone, and of a huge commit only the names of its files. One
 * after the other: each git process may print as much as MAX_PATCH_BYTES.
 */
async function readBatch(reader: GitReader, shas: readonly string[]): Promise<CommitFacts[]> {
  const found = await showCommits(reader, shas, ["-p", "-U0"]);
  if (found !== undefined) return await withCheckpoints(reader, found);
  if (reader.signal?.aborted === true) return [];
  if (shas.length === 1) return (await showCommits(reader, shas, ["--name-only"])) ?? [];
  const half = Math.ceil(shas.length / 2);
  const first = await readBatch(reader, shas.slice(0, half));
  return [...first, ...(await readBatch(reader, shas.slice(half)))];
}

/** Newer versions of git have settings for them. */
const PREFIXES = ["--src-prefix=a/", "--dst-prefix=b/"];

async function showCommits(
  { top, ...options }: GitReader,
  shas: readonly string[],
  what: readonly string[],
): Promise<CommitFacts[] | undefined> {
  const shape = [
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-diff-merges",
    "--no-notes",
    ...PREFIXES,
    "-M",
    ...what,
  ];
  const text = await runGit(top, ["log", "--no-walk=unsorted", "--stdin", ...shape, FORMAT], {
    ...options,
    input: `${shas.join("\n")}\n--\n`,
    maxBytes: MAX_PATCH_BYTES,
  });
  if (text === undefined) return undefined;
  const wanted = new Set(shas);
  return text
    .split("\0\u0001\0")
    .slice(1)
    .flatMap((part) => {
      const [sha = "", author = "", authored, committed, subject = "", body = "", ...rest] = part.split("\0");
      if (!wanted.has(sha)) return [];
      const changes = rest.join("\0");
      const files = what.includes("-p")
        ? patchFiles(changes)
        : splitLines(changes.trim()).map((path) => ({ path: unquoted(path) }));
      return [
        {
          sha,
          author,
          authoredAt: Number(authored) * 1000,
          committedAt: Number(committed) * 1000,
          subject,
          body,
          files,
        },
      ];
    });
}

/** Lines of a file beyond these are not compared. */
const MAX_LINES = 10_000;

/** The files of a patch with the lines added to each. */
export function patchFiles(patch: string): CommitFile[] {
  const files: (CommitFile & { added?: string[] })[] = [];
  const lines = patch.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const file = files.at(-1);
    if (line.startsWith("diff --git ")) files.push({ path: pathOfHeader(line), added: [] });
    else if (file === undefined) continue;
    else if (line.startsWith("rename from ")) file.from = unquoted(line.slice("rename from ".length));
    else if (line.startsWith("rename to ")) file.path = unquoted(line.slice("rename to ".length));
    else if (line.startsWith("+++ ") && line !== "+++ /dev/null")
      file.path = unquoted(line.slice(4)).replace(/^b\//, "");
    else if (line.startsWith("Binary files ")) delete file.added;
    else if (line.startsWith("@@ ")) {
      const [, removed = "1", added = "1"] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? [];
      const first = at + 1 + Number(removed);
      const hunk = lines.slice(at + 1, first + Number(added) + 2);
      at += Number(removed) + Number(added);
      // "\ No newline at end of file" may stand between the lines.
      const plus = hunk.filter((text) => text.startsWith("+")).slice(0, Number(added));
      for (const text of plus) if ((file.added?.length ?? MAX_LINES) < MAX_LINES) file.added?.push(text.slice(1));
    }
  }
  return files;
}

/** 'diff --git a/x b/x' -> "x" */
function pathOfHeader(line: string): string {
  const names = line.slice("diff --git ".length);
  const quoted = /^"a\/.*" ("b\/.*")$/.exec(names)?.[1];
  if (quoted !== undefined) return unquoted(quoted).slice(2);
  // Both names are the same, unless the file was renamed.
  return names.slice(Math.ceil(names.length / 2)).replace(/^b\//, "");
}

/** A tab ends a name with a blank. */
function unquoted(name: string): string {
  return name.startsWith('"') ? unquoteName(name) : name.replace(/\t$/, "");
}

const CHECKPOINT_BRANCHES = ["refs/heads/entire/checkpoints/v1", "refs/remotes/origin/entire/checkpoints/v1"];
const CHECKPOINT_FILES = ["metadata.json", "0/metadata.json", "1/metadata.json", "2/metadata.json", "3/metadata.json"];

/** Adds the sessions of the checkpoints that a commit names, as if it named the sessions. */
async function withCheckpoints({ top, ...options }: GitReader, commits: CommitFacts[]): Promise<CommitFacts[]> {
  if (!commits.some((commit) => namedCheckpoints(commit).length > 0)) return commits;
  return await Promise.all(
    commits.map(async (commit) => {
      const names = namedCheckpoints(commit).flatMap((id) =>
        CHECKPOINT_BRANCHES.flatMap((branch) =>
          CHECKPOINT_FILES.map((file) => `${branch}:${id.slice(0, 2)}/${id.slice(2)}/${file}`),
        ),
      );
      if (names.length === 0) return commit;
      const input = `${names.join("\n")}\n`;
      const text = (await runGit(top, ["cat-file", "--batch"], { ...options, input, maxBytes: MAX_LIST_BYTES })) ?? "";
      const ids = [...text.matchAll(/"session_?ids?"\s*:\s*("[^"]{1,100}"|\[[^\]]{0,4000}\])/gi)].map(([, id]) => id);
      return ids.length === 0
        ? commit
        : { ...commit, body: `${commit.body.trimEnd()}\nEntire-Session: ${ids.join(" ")}` };
    }),
  );
}
