// Finds earlier sessions that share files, commits, issues, words or a branch with a session. Rare items count more.
import { isTrunk } from "../../core/work-tree.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  type EarlierSession,
  earlierChangers,
  earlierMentions,
  type LinkedSession,
  type TouchedPath,
} from "../../store/reads/link-evidence.ts";
import type { Target } from "../../store/tables/links.ts";

export interface SimilarSession {
  session: EarlierSession;
  /** Score of shared files, commits and issues. */
  work: number;
  /** Score of shared words. */
  words: number;
  /** Both were on the same branch, which is not a trunk. */
  isSameBranch: boolean;
}

/** The score if one earlier session shares the file, commit or word; less if more sessions do. */
const SCORES = { changed: 1, read: 0.3, file: 0.3, commit: 1, issue: 1, url: 0.7, term: 1 } as const;
/** With fewer sessions, shared files and words count less: it is not known which are rare. */
const MIN_SESSIONS = 8;
/** Two sessions that touch many files share some by chance. */
const MAX_WORK = 2;
const MAX_WORDS = 2;

interface Evidence {
  earlier: readonly EarlierSession[];
  paths: readonly TouchedPath[];
  targets: readonly Target[];
}

export function findSimilar(db: Db, session: LinkedSession, { earlier, paths, targets }: Evidence): SimilarSession[] {
  const byRow = new Map(earlier.map((one) => [one.id, one]));
  const byName = new Map(earlier.map((one) => [one.session_id, one]));
  const found = new Map<number, SimilarSession>();
  const share = (others: readonly EarlierSession[], field: "work" | "words" | "branch", score: number): void => {
    const points = score * rarity(others.length, earlier.length);
    for (const other of others) {
      const similar = found.get(other.id) ?? { session: other, work: 0, words: 0, isSameBranch: false };
      if (field === "branch") similar.isSameBranch = true;
      else similar[field] += points;
      found.set(other.id, similar);
    }
  };
  const changersOf = (path: string): EarlierSession[] =>
    earlierChangers(db, session, path).flatMap((id) => byRow.get(id) ?? []);
  for (const { path, is_changed } of paths) {
    share(changersOf(path), "work", is_changed === 1 ? SCORES.changed : SCORES.read);
  }
  const touched = new Set(paths.map(({ path }) => path));
  for (const target of targets) {
    const { type, id } = target;
    const mentioningSessions = (): EarlierSession[] =>
      earlierMentions(db, session, target).flatMap((name) => byName.get(name) ?? []);
    if (type === "file") {
      // A file named but not touched: the session may continue another session's changes to it.
      if (!touched.has(id)) share(changersOf(id), "work", SCORES.file);
    } else if (type === "branch" && !isTrunk(id)) share(mentioningSessions(), "branch", 0);
    else if (type === "term") share(mentioningSessions(), "words", SCORES.term);
    else if (type === "commit" || type === "issue" || type === "url") share(mentioningSessions(), "work", SCORES[type]);
  }
  return [...found.values()].map((similar) => ({
    ...similar,
    work: Math.min(MAX_WORK, similar.work),
    words: Math.min(MAX_WORDS, similar.words),
  }));
}

/** 1 if one of many sessions has it, near 0 if all do. Squared, so that it hardly counts if half of them do. */
function rarity(owners: number, sessions: number): number {
  if (owners === 0) return 0;
  return (Math.log(1 + sessions / owners) / Math.log(1 + Math.max(sessions, MIN_SESSIONS))) ** 2;
}
