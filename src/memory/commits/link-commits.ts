// Compares the new commits of a project's repository with its sessions, and stores which sessions they carry.
import { shortHash } from "../../core/hash.ts";
import { filterText } from "../../core/privacy/filter.ts";
import { DAY_MS } from "../../core/time.ts";
import type { Db } from "../../store/db/driver.ts";
import { transaction } from "../../store/db/transaction.ts";
import { linkCommit } from "../../store/tables/commits.ts";
import {
  firstSessionAt,
  markCommitRead,
  newTouches,
  readAgainFrom,
  readCommitShas,
  repositoryRead,
  saveRepositoryRead,
} from "../../store/tables/repository-reads.ts";
import { markTurnWordsStale } from "../../store/tables/stale-turns.ts";
import { type CommitFacts, pullRequestOf } from "./commit-facts.ts";
import { type CommitLink, findSessions } from "./find-sessions.ts";
import { addGitEvidence } from "./git-evidence.ts";
import { type GitReader, listCommits, listRefs, readCommits } from "./read-commits.ts";

export interface LinkedCommits {
  /** Commits that were compared now. */
  read: number;
  /** New pairs of a commit and a session. */
  linked: number;
  /** There are more commits than one run compares. */
  hasMore: boolean;
}

/** Commits per run, newest first. */
const MAX_COMMITS = 500;
/** Old sessions may have been recorded by another clock or time zone. */
const BEFORE_FIRST_MS = DAY_MS;

/** Undefined without git or a repository. */
export async function linkNewCommits(
  db: Db,
  project: { id: number; root: string },
  { now, ...options }: Omit<GitReader, "top"> & { now: number },
): Promise<LinkedCommits | undefined> {
  const reader = { top: project.root, ...options };
  const refs = await listRefs(reader);
  const first = firstSessionAt(db, project.id);
  if (refs === undefined || first === undefined) return undefined;
  const hash = shortHash(refs);
  const before = repositoryRead(db, project.id);
  const touches = newTouches(db, project.id, before?.last_touch_id ?? 0);
  if (before?.refs_hash === hash && touches.from === undefined) {
    saveRepositoryRead(db, project.id, { refs_hash: hash, last_touch_id: touches.last, read_at: now });
    return { read: 0, linked: 0, hasMore: false };
  }
  if (before !== undefined && touches.from !== undefined) {
    const from = touches.from;
    transaction(db, () => readAgainFrom(db, project.id, from));
  }
  const known = readCommitShas(db, project.id);
  const listed = await listCommits(reader, first - BEFORE_FIRST_MS);
  const fresh = listed.filter(({ sha }) => !known.has(sha));
  const shas = fresh.slice(0, MAX_COMMITS).map(({ sha }) => sha);
  const done = { read: 0, linked: 0 };
  for await (const commits of readCommits(reader, shas)) {
    done.linked += await linkBatch(db, project.id, reader, commits);
    done.read += commits.length;
  }
  if (options.signal?.aborted === true) return { ...done, hasMore: true };
  const hasMore = fresh.length > shas.length && done.read > 0;
  const read = { refs_hash: hasMore ? "" : hash, last_touch_id: touches.last, read_at: now };
  transaction(db, () => saveRepositoryRead(db, project.id, read));
  return { ...done, hasMore };
}

const MAX_SUBJECT_CHARS = 300;
const MAX_AUTHOR_CHARS = 100;

/** Reads the evidence before the transaction, so that other writers do not wait. Returns the number of new links. */
export async function linkBatch(
  db: Db,
  projectId: number,
  reader: GitReader,
  commits: readonly CommitFacts[],
): Promise<number> {
  const facts = await addGitEvidence(reader, db, projectId, commits);
  const found = facts.map((commit) => ({ commit, links: findSessions(db, projectId, commit) }));
  return transaction(db, () => {
    let linked = 0;
    for (const { commit, links } of found) {
      linked += storeLinks(db, commit, links);
      // With its parents, its lines can be compared later.
      if (commit.isCut !== true) markCommitRead(db, projectId, commit);
    }
    return linked;
  });
}

/** Returns how many of the links are new. */
function storeLinks(db: Db, commit: CommitFacts, links: readonly CommitLink[]): number {
  const subject = filterText(commit.subject, MAX_SUBJECT_CHARS);
  const author = filterText(commit.author, MAX_AUTHOR_CHARS);
  const pullRequest = pullRequestOf(commit.subject);
  const { sha, committedAt: at } = commit;
  return links.filter((link) => {
    const isNew = linkCommit(db, { ...link, sha, subject, author, pullRequest, at });
    if (isNew) markTurnWordsStale(db, link.sessionDbId, link.promptNumber);
    return isNew;
  }).length;
}
