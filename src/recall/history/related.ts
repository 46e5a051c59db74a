// Which sessions belong with this one, and why, in words.
import { isTrunk } from "../../core/branch.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  countConversations,
  linkedSessions,
  mentionedChanges,
  sessionsOnBranch,
  sharedChanges,
  sharedTargets,
  type SharedTarget,
} from "../../store/reads/relations.ts";
import { type SessionEntry, sessionsByIds } from "../../store/reads/session-list.ts";

export interface RelatedSession {
  session: SessionEntry;
  weight: number;
  reasons: string[];
}

const DAY_MS = 86_400_000;
/** Work on a branch of its own belongs together for longer than work on the branch everybody is on. */
const BRANCH_WINDOW_MS = 7 * DAY_MS;
const TRUNK_WINDOW_MS = DAY_MS;
const WEIGHT = {
  continues: 10,
  related_to: 3,
  fixes: 6,
  commit: 6,
  issue: 4,
  url: 2,
  mention: 0.5,
  branch: 1.5,
  trunk: 0.4,
} as const;
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
  const best = [...found].sort(([a, one], [b, other]) => other.weight - one.weight || a - b).slice(0, limit);
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

/** From here on a guess is worth saying without a "perhaps". */
const LIKELY = 0.6;

function addLinks(db: Db, session: SessionEntry, add: Add): void {
  for (const { session_db_id: id, relationship, weight, is_incoming } of linkedSessions(db, session.session_id)) {
    if (relationship === "continues") {
      const perhaps = weight < LIKELY ? "perhaps " : "";
      add(id, WEIGHT.continues * weight, perhaps + (is_incoming === 1 ? "continues it" : "is continued by it"));
    } else if (relationship === "fixes") {
      add(id, WEIGHT.fixes * weight, is_incoming === 1 ? "ended an error met in it" : "met an error that it ended");
    } else if (relationship === "related_to") add(id, WEIGHT.related_to * weight, "has much in common with it");
  }
  for (const shared of sharedTargets(db, session.session_id)) {
    add(shared.session_db_id, WEIGHT[shared.type], targetReason(shared));
  }
}

const TARGET_WORDS = { commit: "commit", issue: "issue", url: "address" } as const;

function targetReason({ type, target, relationship, own_relationship }: SharedTarget): string {
  const what = `${TARGET_WORDS[type]} ${target}`;
  if (relationship === "references" && own_relationship === "mentions") return `made ${what}, which it mentions`;
  if (relationship === "mentions" && own_relationship === "references") return `mentions ${what}, which it made`;
  return `names the same ${what}`;
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
  const isShared = isTrunk(branch);
  const window = isShared ? TRUNK_WINDOW_MS : BRANCH_WINDOW_MS;
  const span = { from: session.started_at - window, to: session.last_at + window };
  for (const near of sessionsOnBranch(db, { project_id: session.project_id, git_branch: branch }, span)) {
    const gap = Math.max(0, near.started_at - session.last_at, session.started_at - near.last_at);
    const closeness = 1 - gap / window / 2;
    add(
      near.id,
      (isShared ? WEIGHT.trunk : WEIGHT.branch) * closeness,
      `on the same branch ${branch}, ${gapText(gap)}`,
    );
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
