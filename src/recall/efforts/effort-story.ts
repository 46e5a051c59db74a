// What became of an effort: its title, what happened session by session, what holds now, what is left to do.
import { isTrunk } from "../../core/branch.ts";
import { isWeakTitle } from "../../core/title.ts";
import { STOP_WORDS, wordsOf } from "../../core/words.ts";
import { ALIKE, likeness } from "../../core/similarity.ts";
import { sentencesOf } from "../../core/prose.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  branchesOfSessions,
  countSubagents,
  type Decision,
  outcomesOf,
  type SessionOutcome,
  standingDecisions,
} from "../../store/reads/efforts.ts";
import { type SessionEntry, sessionsByIds } from "../../store/reads/session-list.ts";
import { continuedSessions } from "../../store/reads/relations.ts";
import type { Effort } from "./efforts.ts";

export interface EffortStory {
  id: string;
  title: string;
  project: string;
  branches: string[];
  agents: string[];
  subagents: number;
  startedAt: number;
  lastAt: number;
  /** In the order they began. */
  sessions: EffortSession[];
  /** Those that hold, the newest first. */
  decisions: Decision[];
  /** Next steps nobody has taken, the newest first. */
  openEnds: OpenEnd[];
}

export interface EffortSession {
  session: SessionEntry;
  continues: { session_id: string; weight: number } | undefined;
}

export interface OpenEnd {
  session_id: string;
  text: string;
}

const MAX_DECISIONS = 3;
const MAX_OPEN_ENDS = 5;

export function effortStory(db: Db, effort: Effort): EffortStory {
  const ids = effort.members.map(({ id }) => id);
  const entries = new Map(sessionsByIds(db, ids).map((entry) => [entry.id, entry]));
  const sessions = ids.flatMap((id) => entries.get(id) ?? []);
  const branches = branchesOfSessions(
    db,
    effort.members.map(({ session_id }) => session_id),
  );
  return {
    id: effort.id,
    title: effortTitle(sessions, branches),
    project: sessions.at(-1)?.project ?? "",
    branches,
    agents: [...new Set(sessions.map(({ agent }) => agent))],
    subagents: countSubagents(db, ids),
    startedAt: effort.members[0]?.started_at ?? 0,
    lastAt: effort.lastAt,
    sessions: sessions.map((session) => ({ session, continues: continuedSessions(db, session.session_id)[0] })),
    decisions: standingDecisions(db, ids, MAX_DECISIONS),
    openEnds: openEnds(sessions, outcomesOf(db, ids)),
  };
}

/** Work on a branch of its own is called as the branch is, by the session that says it best; else by where most was done. */
function effortTitle(sessions: readonly SessionEntry[], branches: readonly string[]): string {
  const named = sessions
    .filter(({ title }) => title !== null && !isWeakTitle(title))
    .toSorted((a, b) => b.files_changed - a.files_changed);
  const branch = branches.find(
    (one) => !isTrunk(one) && sessions.filter(({ git_branch }) => git_branch === one).length > sessions.length / 2,
  );
  const words = branch === undefined ? [] : wordsOf(branch.split("/").at(-1) ?? "");
  // One word tells little.
  if (words.length > 1) return named.find(({ title }) => isSaidIn(title ?? "", words))?.title ?? sentence(words);
  return named[0]?.title ?? sessions[0]?.title ?? "(untitled)";
}

function isSaidIn(title: string, words: readonly string[]): boolean {
  const said = new Set(wordsOf(title).map((word) => word.toLowerCase()));
  const telling = words.map((word) => word.toLowerCase()).filter((word) => !STOP_WORDS.has(word));
  return telling.filter((word) => said.has(word)).length >= telling.length * ALIKE;
}

/** Of "feat/user-to-user-sharing": "User to user sharing". */
function sentence(words: readonly string[]): string {
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What holds only until the next session begins. */
const PASSING = /^Offered: |^The turn was interrupted|^Tests fail: /;

/** What a session left open, unless a later one tells of it. */
function openEnds(sessions: readonly SessionEntry[], outcomes: readonly SessionOutcome[]): OpenEnd[] {
  const bySession = new Map(outcomes.map((outcome) => [outcome.session_db_id, outcome]));
  const open: OpenEnd[] = [];
  const later: string[] = [];
  for (const session of sessions.toReversed()) {
    const outcome = bySession.get(session.id);
    for (const text of sentencesOf(outcome?.next_steps ?? "")) {
      if (later.length > 0 && PASSING.test(text)) continue;
      const isTaken = later.some((told) => likeness(text, told) >= ALIKE);
      const isSaid = open.some((one) => likeness(text, one.text) >= ALIKE);
      if (!isTaken && !isSaid) open.push({ session_id: session.session_id, text });
    }
    later.push([session.title, outcome?.request, outcome?.completed].join(" "));
  }
  return open.slice(0, MAX_OPEN_ENDS);
}
