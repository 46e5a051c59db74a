// Which sessions belong with this one, and why, in words.
import type { Db } from "../store/driver.ts";
import {
  countConversations,
  linkedSessions,
  mentionedChanges,
  sessionsOnBranch,
  sharedChanges,
  sharedCommits,
} from "../store/relations.ts";
import { type SessionEntry, sessionsByIds } from "../store/session-list.ts";

export interface RelatedSession {
  session: SessionEntry;
  weight: number;
  reasons: string[];
}

const DAY_MS = 86_400_000;
/** Work on a branch of its own belongs together for longer than work on the branch everybody is on. */
const BRANCH_WINDOW_MS = 7 * DAY_MS;
const TRUNK_WINDOW_MS = DAY_MS;
const TRUNKS = new Set(["main", "master", "develop", "dev", "trunk"]);
const WEIGHT = { link: 10, commit: 6, mention: 0.5, branch: 1.5, trunk: 0.4 } as const;
const FILES_NAMED = 3;

export function relatedSessions(db: Db, session: SessionEntry, limit: number): RelatedSession[] {
  const found = new Map<number, { weight: number; reasons: string[] }>();
  const add = (id: number, weight: number, reason: string): void => {
    if (id === session.id) return;
    const entry = found.get(id) ?? { weight: 0, reasons: [] };
    entry.weight += weight;
    if (!entry.reasons.includes(reason)) entry.reasons.push(reason);
    found.set(id, entry);
  };
  addLinks(db, session, add);
  addFiles(db, session, add);
  addBranch(db, session, add);
  const best = [...found].sort(([, a], [, b]) => b.weight - a.weight).slice(0, limit);
  const entries = new Map(
    sessionsByIds(
      db,
      best.map(([id]) => id),
    ).map((entry) => [entry.id, entry]),
  );
  return best.flatMap(([id, { weight, reasons }]) => {
    const entry = entries.get(id);
    return entry === undefined ? [] : [{ session: entry, weight: Math.round(weight * 100) / 100, reasons }];
  });
}

type Add = (id: number, weight: number, reason: string) => void;

const LINK_WORDS: Readonly<Record<string, [outgoing: string, incoming: string]>> = {
  continues: ["is continued by it", "continues it"],
  references: ["is referred to by it", "refers to it"],
  mentions: ["is mentioned in it", "mentions it"],
  fixes: ["is mended by it", "mends it"],
  supersedes: ["is replaced by it", "replaces it"],
};

function addLinks(db: Db, session: SessionEntry, add: Add): void {
  for (const link of linkedSessions(db, session.session_id)) {
    const [outgoing, incoming] = LINK_WORDS[link.relationship] ?? ["is tied to it", "is tied to it"];
    add(link.session_db_id, WEIGHT.link, link.is_incoming ? incoming : outgoing);
  }
  for (const shared of sharedCommits(db, session.session_id)) {
    add(shared.session_db_id, WEIGHT.commit, commitReason(shared));
  }
}

function commitReason({
  target,
  relationship,
  own_relationship,
}: {
  target: string;
  relationship: string;
  own_relationship: string;
}): string {
  if (relationship === "references" && own_relationship === "mentions")
    return `made commit ${target}, which it mentions`;
  if (relationship === "mentions" && own_relationship === "references")
    return `mentions commit ${target}, which it made`;
  return `names the same commit ${target}`;
}

/** A file that hardly anybody touches ties two sessions together; one that everybody touches does not. */
function addFiles(db: Db, session: SessionEntry, add: Add): void {
  const rows = sharedChanges(db, session);
  const sessionsByPath = Map.groupBy(rows, (row) => row.path);
  const total = Math.max(1, countConversations(db, session.project_id));
  const rarity = (path: string): number => Math.log(1 + total / Math.max(1, sessionsByPath.get(path)?.length ?? 1));
  for (const [id, shared] of Map.groupBy(rows, (row) => row.session_db_id)) {
    const paths = shared.map((row) => row.path).sort((a, b) => rarity(b) - rarity(a));
    const weight = paths.reduce((sum, path) => sum + rarity(path), 0);
    // Two sweeping sessions share much by chance: the tenth file says less than the first.
    add(id, weight / Math.sqrt(Math.max(1, paths.length)), `changed the same ${naming(paths)}`);
  }
  for (const [key, rowsOfOne] of Map.groupBy(
    mentionedChanges(db, session),
    (row) => `${row.session_db_id}:${row.is_incoming}`,
  )) {
    const [first] = rowsOfOne;
    if (first === undefined || key === "") continue;
    const paths = rowsOfOne.map((row) => row.path);
    const reason = first.is_incoming
      ? `mentions ${naming(paths)}, changed in it`
      : `changed ${naming(paths)}, mentioned in it`;
    add(first.session_db_id, WEIGHT.mention * paths.length, reason);
  }
}

function addBranch(db: Db, session: SessionEntry, add: Add): void {
  const branch = session.git_branch;
  if (branch === null || branch === "") return;
  const isTrunk = TRUNKS.has(branch);
  const window = isTrunk ? TRUNK_WINDOW_MS : BRANCH_WINDOW_MS;
  const span = { from: session.started_at - window, to: session.last_at + window };
  for (const near of sessionsOnBranch(db, { project_id: session.project_id, git_branch: branch }, span)) {
    const gap = Math.max(0, near.started_at - session.last_at, session.started_at - near.last_at);
    const closeness = 1 - gap / window / 2;
    add(near.id, (isTrunk ? WEIGHT.trunk : WEIGHT.branch) * closeness, `on the same branch ${branch}, ${gapText(gap)}`);
  }
}

function gapText(ms: number): string {
  if (ms < 60_000) return "at the same time";
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min apart`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h apart` : `${Math.round(hours / 24)} days apart`;
}

function naming(paths: readonly string[]): string {
  const more = paths.length - FILES_NAMED;
  return paths.slice(0, FILES_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
