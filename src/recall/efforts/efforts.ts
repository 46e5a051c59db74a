// Efforts: work that took several sessions, such as a feature. Computed from the links between sessions, not stored.
import { isTrunk } from "../../core/work-tree.ts";
import { sentencesOf } from "../../core/prose.ts";
import { SAME_TEXT, wordOverlap } from "../../core/similarity.ts";
import { isWeakTitle } from "../../core/title.ts";
import { STOP_WORDS, wordsOf } from "../../core/words.ts";
import { sha256 } from "../../platform/crypto.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  countSubagents,
  effortEdges,
  type EffortMember,
  effortMembers,
  outcomesOf,
  type SessionOutcome,
  currentDecisions,
} from "../../store/reads/efforts.ts";
import { continuedSessions } from "../../store/reads/relations.ts";
import type { Scope } from "../../store/reads/scope.ts";
import { type SessionEntry, sessionsByIds } from "../../store/reads/session-list.ts";
import { branchesOf } from "../../store/tables/links.ts";

/** Sessions with a link of at least this weight belong to one effort. */
export const EFFORT_WEIGHT = 0.5;

export type Effort = ReturnType<typeof groupSessions>[number];

/** Sorted by last activity, newest first. */
export function findEfforts(db: Db, scope: Scope = {}): Effort[] {
  return groupSessions(db)
    .filter((effort) => isInScope(effort, scope))
    .sort((a, b) => b.lastAt - a.lastAt || (a.id < b.id ? -1 : 1));
}

/** Finds an effort by a session in it, or by the id that any of its sessions gives: the first session may change. */
export function findEffort(db: Db, wanted: { id: string } | { sessionDbId: number }): Effort | undefined {
  const isWanted = (member: EffortMember): boolean =>
    "id" in wanted ? effortId(member.session_id) === wanted.id : member.id === wanted.sessionDbId;
  return groupSessions(db).find(({ members }) => members.some(isWanted));
}

const ID_DIGITS = 9;

function effortId(sessionId: string): string {
  return `e${sha256(sessionId).slice(0, ID_DIGITS)}`;
}

export function isEffortId(text: string): boolean {
  return new RegExp(`^e[0-9a-f]{${ID_DIGITS}}$`).test(text);
}

/** Groups connected sessions by union-find. The root of a group is its smallest database id. */
function groupSessions(db: Db) {
  const edges = effortEdges(db, EFFORT_WEIGHT);
  const parents = new Map<number, number>();
  const rootOf = (id: number): number => {
    let root = id;
    for (let up = parents.get(root); up !== undefined; up = parents.get(root)) root = up;
    if (root !== id) parents.set(id, root);
    return root;
  };
  for (const { source, target } of edges) {
    const [a, b] = [rootOf(source), rootOf(target)];
    if (a !== b) parents.set(Math.max(a, b), Math.min(a, b));
  }
  const ids = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const groups = Map.groupBy(effortMembers(db, [...ids]), ({ id }) => rootOf(id));
  return [...groups.values()]
    .filter((members) => members.length > 1)
    .map((members) => ({
      /** Derived from the first session's id. Later sessions do not change it. */
      id: effortId(members[0]?.session_id ?? ""),
      /** At least two sessions, by start time. */
      members,
      lastAt: Math.max(...members.map(({ last_at }) => last_at)),
    }));
}

function isInScope({ members, lastAt }: Effort, { projectId, agent, since, before }: Scope): boolean {
  if (since !== undefined && lastAt < since) return false;
  if (before !== undefined && (members[0]?.started_at ?? 0) >= before) return false;
  return members.some(
    (one) => (projectId === undefined || one.project_id === projectId) && (agent === undefined || one.agent === agent),
  );
}

const MAX_DECISIONS = 3;
const MAX_OPEN_ENDS = 5;

export function effortStory(db: Db, { id, members, lastAt }: Effort) {
  const ids = members.map((member) => member.id);
  const sessions = sessionsByIds(db, ids);
  const sessionIds = members.map(({ session_id }) => session_id);
  const branches = branchesOf(db, sessionIds);
  return {
    id,
    title: effortTitle(sessions, branches),
    project: sessions.at(-1)?.project ?? "",
    branches,
    agents: [...new Set(sessions.map(({ agent }) => agent))],
    subagents: countSubagents(db, ids),
    startedAt: members[0]?.started_at ?? 0,
    lastAt,
    /** By start time. */
    sessions: sessions.map((session) => ({ session, continues: continuedSessions(db, session.session_id)[0] })),
    /** Without superseded ones, newest first. */
    decisions: currentDecisions(db, ids, MAX_DECISIONS),
    openEnds: openEnds(sessions, outcomesOf(db, ids)),
  };
}

/** Named after the branch of most sessions ("feat/user-sharing" -> "User sharing"), else after the largest session. */
function effortTitle(sessions: readonly SessionEntry[], branches: readonly string[]): string {
  const titles = sessions
    .toSorted((a, b) => b.files_changed - a.files_changed)
    .flatMap(({ title }) => (title === null || isWeakTitle(title) ? [] : [title]));
  const branch = branches.find(
    (one) => !isTrunk(one) && sessions.filter(({ git_branch }) => git_branch === one).length > sessions.length / 2,
  );
  const words = wordsOf(branch?.split("/").at(-1) ?? "");
  // A branch of one word is too short for a title.
  if (words.length < 2) return titles[0] ?? sessions[0]?.title ?? "(untitled)";
  const text = words.join(" ");
  return titles.find((title) => hasMostWords(title, words)) ?? text.charAt(0).toUpperCase() + text.slice(1);
}

function hasMostWords(title: string, words: readonly string[]): boolean {
  const titleWords = new Set(wordsOf(title).map((word) => word.toLowerCase()));
  const wanted = words.map((word) => word.toLowerCase()).filter((word) => !STOP_WORDS.has(word));
  return wanted.filter((word) => titleWords.has(word)).length >= wanted.length * SAME_TEXT;
}

/** Next steps that no longer apply once another session starts: what failed, was not committed, pushed or tested. */
const TEMPORARY =
  /^(?:Tests fail: |Nothing is committed|No test run |The commit .* failed\.)|not committed\.$|not pushed: /;

/** The next steps of each session, newest first, except those that a later session mentions. */
function openEnds(sessions: readonly SessionEntry[], outcomes: readonly SessionOutcome[]) {
  const bySession = new Map(outcomes.map((outcome) => [outcome.session_db_id, outcome]));
  const open: { session_id: string; text: string }[] = [];
  const later: string[] = [];
  for (const { id, session_id, title } of sessions.toReversed()) {
    const outcome = bySession.get(id);
    for (const text of (outcome?.next_steps ?? "").split("\n").flatMap(sentencesOf)) {
      const isKnown = (other: string): boolean => wordOverlap(text, other) >= SAME_TEXT;
      const isOver = later.length > 0 && TEMPORARY.test(text);
      if (!isOver && !later.some(isKnown) && !open.some((end) => isKnown(end.text))) open.push({ session_id, text });
    }
    later.push([title, outcome?.request, outcome?.completed].join(" "));
  }
  return open.slice(0, MAX_OPEN_ENDS);
}
