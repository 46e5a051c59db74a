// Which sessions a session goes on with: those the agent or the user names, else the one that is likeliest.
import { isTrunk } from "../../core/work-tree.ts";
import { DAY_MS } from "../../core/words.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  branchesOf,
  type EarlierSession,
  hasWork,
  isKnownSession,
  lastHeardOf,
  type LinkedSession,
} from "../../store/reads/link-evidence.ts";
import { hasTombstones, hasTombstone, tombstoneOf } from "../../store/tables/tombstones.ts";
import type { Likely } from "./likely.ts";
import type { SaidBySession } from "./read-session.ts";

/** How sure it is: where the agent or the user says so, and the most a guess can be. */
export const SURE = { transcript: 1, fork: 1, plan: 0.95, named: 0.9, guessMax: 0.85 } as const;
/** A weaker guess is none. */
const MIN_GUESS = 0.3;
const MIN_RELATED = 0.45;
const MAX_RELATED = 3;
const MAX_CONTINUED = 5;
/** What is gone on with is taken up soon, on a branch of its own a little later. */
const MAX_GAP_MS = 7 * DAY_MS;
const NEAR_MS = 2 * DAY_MS;
const BRANCH_NEAR_MS = 7 * DAY_MS;
const BRANCH_WORTH = 1.5;
const WORDS_WORTH = 0.8;
/** Of the likeliest, how many are looked at closely. */
const MAX_CLOSE_LOOKS = 8;

/** By the agents' ids, with how sure it is. */
export function continuedBy(
  db: Db,
  session: LinkedSession,
  evidence: { said: SaidBySession; earlier: readonly EarlierSession[]; likely: readonly Likely[] },
): Map<string, number> {
  const continued = saidToContinue(db, session, evidence.said, evidence.earlier);
  if ([...continued.keys()].some((id) => isKnownSession(db, id))) return continued;
  const guess = bestGuess(db, session, evidence.likely, evidence.said.branches);
  if (guess !== undefined) continued.set(guess.id, guess.weight);
  return continued;
}

function saidToContinue(
  db: Db,
  session: LinkedSession,
  { transcripts, sessionIds }: SaidBySession,
  earlier: readonly EarlierSession[],
): Map<string, number> {
  // The plan's last session: who carries it out begins after who made it.
  const planned = session.plan === null ? undefined : earlier.find(({ plan }) => plan === session.plan);
  const said: [string | null | undefined, number][] = [
    [session.forked_from, SURE.fork],
    ...transcripts.map((id): [string, number] => [id, SURE.transcript]),
    [planned?.session_id, SURE.plan],
    ...sessionIds.filter((id) => isKnownSession(db, id)).map((id): [string, number] => [id, SURE.named]),
  ];
  const mayBeForgotten = hasTombstones(db);
  const sure = new Map<string, number>();
  for (const [id, weight] of said) {
    if (id === null || id === undefined || id === session.session_id || sure.has(id)) continue;
    if (mayBeForgotten && hasTombstone(db, tombstoneOf("session", id))) continue;
    if (sure.size < MAX_CONTINUED) sure.set(id, weight);
  }
  return sure;
}

/** The one session this most likely goes on with, if any is likely enough. */
function bestGuess(
  db: Db,
  session: LinkedSession,
  likely: readonly Likely[],
  branches: ReadonlySet<string>,
): { id: string; weight: number } | undefined {
  const scored = likely
    .map((one) => ({ ...one, score: scoreOf(db, session, one) }))
    .filter(({ score }) => weightOf(score) >= MIN_GUESS)
    .sort((a, b) => b.score - a.score || b.session.started_at - a.session.started_at || byId(a, b))
    .slice(0, MAX_CLOSE_LOOKS);
  const best = scored.find((one) => isPlausible(db, session, one, branches));
  return best && { id: best.session.session_id, weight: weightOf(best.score) };
}

function scoreOf(db: Db, session: LinkedSession, { session: other, work, words, isSameBranch }: Likely): number {
  const isOver = other.last_at <= session.started_at;
  // What was taken up again later does not make it nearer.
  const last = isOver ? other.last_at : (lastHeardOf(db, other.id, session.started_at) ?? other.started_at);
  const gap = session.started_at - last;
  if (gap > MAX_GAP_MS) return 0;
  const near = 1 / (1 + gap / NEAR_MS);
  const branch = isSameBranch ? BRANCH_WORTH / (1 + gap / BRANCH_NEAR_MS) : 0;
  // Files alone may be shared by chance, words as well: together they seldom are.
  return (work * (0.5 + Math.min(1, words) / 2) + words * WORDS_WORTH) * near + branch;
}

/** The same words alone make no work go on; nor does work on one branch go on with that on another. */
function isPlausible(
  db: Db,
  session: LinkedSession,
  { session: other, work, isSameBranch }: Likely,
  branches: ReadonlySet<string>,
): boolean {
  if (isSameBranch) return work > 0 || hasWork(db, session.id) || hasWork(db, other.id);
  if (work === 0) return false;
  const isOnItsOwn = (all: Iterable<string>): boolean => [...all].some((branch) => !isTrunk(branch));
  return !(isOnItsOwn(branches) && isOnItsOwn(branchesOf(db, other.session_id)));
}

/** By shared rare files, commits, issues and words; what is alike in meaning belongs here, too, once there are vectors. */
export function resembling(likely: readonly Likely[]): { id: string; weight: number }[] {
  return likely
    .map(({ session, work, words }) => ({ session, score: work > 0 ? work + words * WORDS_WORTH : 0 }))
    .sort((a, b) => b.score - a.score || b.session.started_at - a.session.started_at || byId(a, b))
    .slice(0, MAX_RELATED + MAX_CONTINUED)
    .map(({ session, score }) => ({ id: session.session_id, weight: weightOf(score) }))
    .filter(({ weight }) => weight >= MIN_RELATED)
    .slice(0, MAX_RELATED);
}

function weightOf(score: number): number {
  return Math.round(Math.min(SURE.guessMax, score / (1 + score)) * 100) / 100;
}

function byId(a: { session: EarlierSession }, b: { session: EarlierSession }): number {
  return a.session.session_id < b.session.session_id ? -1 : 1;
}
