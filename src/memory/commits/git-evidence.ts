// Asks git what decides between a session's work and that of others: the files before a commit, and which commits it
// replaces.
import { randomUUID } from "node:crypto";
import { splitLines } from "../../core/lines/file-change.ts";
import { runGit } from "../../platform/git.ts";
import type { Db } from "../../store/db/driver.ts";
import type { CommitFacts, CommitFile } from "./commit-facts.ts";
import { editsBefore, turnsAlike } from "./find-sessions.ts";
import { type GitReader, readCommits } from "./read-commits.ts";

/** Adds what findSessions asks for, for the commits and files that sessions may be behind. */
export async function addGitEvidence(
  reader: GitReader,
  db: Db,
  projectId: number,
  commits: readonly CommitFacts[],
): Promise<CommitFacts[]> {
  const before = await filesBefore(reader, db, projectId, commits);
  const found: CommitFacts[] = [];
  for (const commit of commits) {
    const files = commit.files.map((file): CommitFile => {
      const lines = before.get(file);
      return lines === undefined ? file : { ...file, before: lines };
    });
    found.push({ ...commit, files, replaces: await replacedBy(reader, db, projectId, commit) });
  }
  return found;
}

/** Larger files are not compared. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_ALL_BYTES = 16 * 1024 * 1024;

/** The lines of the files that sessions edited, before each commit. */
async function filesBefore(
  { top, ...options }: GitReader,
  db: Db,
  projectId: number,
  commits: readonly CommitFacts[],
): Promise<Map<CommitFile, string[]>> {
  const wanted = commits.flatMap((commit) =>
    commit.isCut === true
      ? []
      : commit.files
          .filter((file) => !file.path.includes("\n") && (file.added?.length ?? 0) > 0)
          .filter((file) => editsBefore(db, projectId, commit, file).length > 0)
          .map((file) => ({ file, name: `${commit.sha}^:${file.from ?? file.path}` })),
  );
  const found = new Map<CommitFile, string[]>();
  if (wanted.length === 0) return found;
  const names = `${wanted.map(({ name }) => name).join("\n")}\n`;
  const checked = await runGit(top, ["cat-file", "--batch-check"], { ...options, input: names });
  let bytes = 0;
  const blobs = splitLines(checked ?? "").map((row) => {
    // A new file: "1a2b^:src/a.ts missing"
    const [, oid, size] = /^([0-9a-f]{40,64}) blob (\d+)$/.exec(row) ?? [];
    const isSmall = oid !== undefined && Number(size) <= MAX_FILE_BYTES && bytes + Number(size) <= MAX_ALL_BYTES;
    if (isSmall) bytes += Number(size);
    return isSmall ? oid : undefined;
  });
  const oids = blobs.flatMap((oid, index) => (oid === undefined ? [] : [`${oid} ${index}`]));
  if (blobs.length !== wanted.length || oids.length === 0) return found;
  // No file has this line.
  const mark = randomUUID();
  const text = await runGit(top, ["cat-file", `--batch=${mark} %(rest)`], {
    ...options,
    input: `${oids.join("\n")}\n`,
    maxBytes: 2 * MAX_ALL_BYTES,
  });
  for (const part of (text ?? "").split(`${mark} `).slice(1)) {
    const end = part.indexOf("\n");
    const file = wanted[Number(part.slice(0, end))]?.file;
    if (file !== undefined) found.set(file, splitLines(part.slice(end + 1)));
  }
  return found;
}

/**
 * A commit that was amended or rebased is on no branch any more, and the new one has its author and time, or shares
 * lines with it. One that git does not have is left out.
 */
async function replacedBy(
  reader: GitReader,
  db: Db,
  projectId: number,
  commit: CommitFacts,
): Promise<Map<string, boolean>> {
  const replaces = new Map<string, boolean>();
  const { top, ...options } = reader;
  for (const sha of new Set(turnsAlike(db, projectId, commit).map((turn) => turn.sha))) {
    if (commit.sha.startsWith(sha)) continue;
    const args = ["rev-list", "--max-count=1", sha, "--not", "--exclude=refs/stash", "--all", "HEAD"];
    const unreachable = (await runGit(top, args, options))?.trim();
    if (unreachable === undefined) continue;
    const [old] = unreachable === "" ? [] : ((await readCommits(reader, [unreachable]).next()).value ?? []);
    replaces.set(sha, old !== undefined && (isSameAuthor(old, commit) || sharesLines(old, commit)));
  }
  return replaces;
}

function isSameAuthor(old: CommitFacts, commit: CommitFacts): boolean {
  return old.author === commit.author && old.authoredAt === commit.authoredAt;
}

function sharesLines(old: CommitFacts, commit: CommitFacts): boolean {
  const lines = new Set(old.files.flatMap(({ path, added = [] }) => added.map((line) => `${path}\n${line}`)));
  return commit.files.some(({ path, added = [] }) =>
    added.some((line) => line.trim() !== "" && lines.has(`${path}\n${line}`)),
  );
}
