// Finds the earlier sessions that a session continues: those named in its evidence, else the most likely one.
import { isTrunk } from "../../core/work-tree.ts";
import { DAY_MS } from "../../core/time.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  type EarlierSession,
  madeChanges,
  isKnownSession,
  lastActivityBefore,
  type LinkedSession,
} from "../../store/reads/link-evidence.ts";
import { branchesOf } from "../../store/tables/links.ts";
import { hasTombstone, hasTombstones, tombstoneOf } from "../../store/tables/tombstones.ts";
import type { SessionReferences } from "./read-session.ts";
import type { SimilarSession } from "./similar-sessions.ts";

/** Link weights by kind of evidence. */
export const WEIGHTS = { transcript: 1, fork: 1, plan: 0.95, named: 0.9, maxGuess: 0.85 } as const;
const MIN_GUESS = 0.3;
const MIN_RELATED = 0.45;
const MAX_RELATED = 3;
const MAX_CONTINUED = 5;
const MAX_GAP_MS = 7 * DAY_MS;
/** The score halves with this gap between the sessions. */
const NEAR_MS = 2 * DAY_MS;
const BRANCH_NEAR_MS = 7 * DAY_MS;
const BRANCH_SCORE = 1.5;
const WORDS_SCORE = 0.8;
/** How many guesses are checked: each check runs queries. */
const MAX_CHECKED = 8;

interface Evidence extends Pick<SessionReferences, "branches" | "transcripts" | "sessionIds"> {
  earlier: readonly EarlierSession[];
  similar: readonly SimilarSession[];
}

/** Weights by session id. */
export function findContinued(db: Db, session: LinkedSession, evidence: Evidence): Map<string, number> {
  const continued = statedSessions(db, session, evidence);
  if ([...continued.keys()].some((id) => isKnownSession(db, id))) return continued;
  const guess = bestGuess(db, session, evidence);
  if (guess !== undefined) continued.set(guess.session.session_id, weightOf(guess.score));
  return continued;
}

function statedSessions(
  db: Db,
  session: LinkedSession,
  { transcripts, sessionIds, earlier }: Evidence,
): Map<string, number> {
  // The last session with the same plan file made the plan or carried out a part of it.
  const planned = session.plan === null ? undefined : earlier.find(({ plan }) => plan === session.plan);
  const stated: [string | null | undefined, number][] = [
    [session.forked_from, WEIGHTS.fork],
    ...transcripts.map((id): [string, number] => [id, WEIGHTS.transcript]),
    [planned?.session_id, WEIGHTS.plan],
    ...sessionIds.filter((id) => isKnownSession(db, id)).map((id): [string, number] => [id, WEIGHTS.named]),
  ];
  const mayBeForgotten = hasTombstones(db);
  const weights = new Map<string, number>();
  for (const [id, weight] of stated) {
    if (id === null || id === undefined || id === session.session_id || weights.has(id)) continue;
    if (mayBeForgotten && hasTombstone(db, tombstoneOf("session", id))) continue;
    if (weights.size < MAX_CONTINUED) weights.set(id, weight);
  }
  return weights;
}

type Scored = SimilarSession & { score: number };

function bestGuess(db: Db, session: LinkedSession, { similar, branches }: Evidence): Scored | undefined {
  return similar
    .map((one) => ({ ...one, score: scoreOf(db, session, one) }))
    .filter(({ score }) => weightOf(score) >= MIN_GUESS)
    .sort(byScore)
    .slice(0, MAX_CHECKED)
    .find((one) => isPlausible(db, session, one, branches));
}

function scoreOf(
  db: Db,
  session: LinkedSession,
  { session: other, work, words, isSameBranch }: SimilarSession,
): number {
  const isOver = other.last_at <= session.started_at;
  // If the other session was resumed later, use its last turn before this session.
  const last = isOver ? other.last_at : (lastActivityBefore(db, other.id, session.started_at) ?? other.started_at);
  const gap = session.started_at - last;
  if (gap > MAX_GAP_MS) return 0;
  const branch = isSameBranch ? BRANCH_SCORE / (1 + gap / BRANCH_NEAR_MS) : 0;
  // Shared files alone may be chance: without shared words they count half.
  return (work * (0.5 + Math.min(1, words) / 2) + words * WORDS_SCORE) / (1 + gap / NEAR_MS) + branch;
}

/**
 * On the same branch, the two must share work, or one of them must have made changes. Otherwise they must share work,
 * not only words, and not both have a branch other than the trunk.
 */
function isPlausible(
  db: Db,
  session: LinkedSession,
  { session: other, work, isSameBranch }: SimilarSession,
  branches: ReadonlySet<string>,
): boolean {
  if (isSameBranch) return work > 0 || madeChanges(db, session.id) || madeChanges(db, other.id);
  const hasBranch = (all: Iterable<string>): boolean => [...all].some((branch) => !isTrunk(branch));
  return work > 0 && !(hasBranch(branches) && hasBranch(branchesOf(db, [other.session_id])));
}

/** Returns [session id, weight] of the sessions that share the most rare files, commits, issues and words. */
export function mostSimilar(similar: readonly SimilarSession[]): [string, number][] {
  return similar
    .map((one) => ({ ...one, score: one.work > 0 ? one.work + one.words * WORDS_SCORE : 0 }))
    .sort(byScore)
    .slice(0, MAX_RELATED + MAX_CONTINUED)
    .map(({ session, score }): [string, number] => [session.session_id, weightOf(score)])
    .filter(([, weight]) => weight >= MIN_RELATED)
    .slice(0, MAX_RELATED);
}

function weightOf(score: number): number {
  return Math.round(Math.min(WEIGHTS.maxGuess, score / (1 + score)) * 100) / 100;
}

/** Highest score first, then newest. */
function byScore(a: Scored, b: Scored): number {
  const order = b.score - a.score || b.session.started_at - a.session.started_at;
  return order || (a.session.session_id < b.session.session_id ? -1 : 1);
}
