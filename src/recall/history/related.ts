// Finds related sessions with reasons: links, shared files, the same branch at about the same time.
import { listText } from "../../core/text.ts";
import { DAY_MS } from "../../core/time.ts";
import { isTrunk } from "../../core/work-tree.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  linkedSessions,
  mentionedChanges,
  sessionsOnBranch,
  sharedChanges,
  sharedTargets,
  type SharedTarget,
} from "../../store/reads/relations.ts";
import { countSessions } from "../../store/reads/counts.ts";
import { type SessionEntry, sessionsByIds } from "../../store/reads/session-list.ts";

interface Reason {
  id: number;
  weight: number;
  reason: string;
}

export function relatedSessions(db: Db, session: SessionEntry, limit: number) {
  const reasons = [
    ...reasonsFromLinks(db, session),
    ...reasonsFromTargets(db, session),
    ...reasonsFromFiles(db, session),
    ...reasonsFromBranch(db, session),
  ];
  const byId = Map.groupBy(reasons, ({ id }) => id);
  byId.delete(session.id);
  const weights = new Map([...byId].map(([id, all]) => [id, all.reduce((sum, { weight }) => sum + weight, 0)]));
  const best = [...weights].sort(([a, weightA], [b, weightB]) => weightB - weightA || a - b).slice(0, limit);
  return sessionsByIds(
    db,
    best.map(([id]) => id),
  ).map((entry) => ({
    session: entry,
    weight: Math.round((weights.get(entry.id) ?? 0) * 100) / 100,
    reasons: [...new Set(byId.get(entry.id)?.map(({ reason }) => reason))],
  }));
}

const LINK_WEIGHTS: Readonly<Record<string, number>> = { continues: 10, fixes: 6, related_to: 3 };
/** The reasons of weaker `continues` links say "perhaps". */
const LIKELY = 0.6;

function reasonsFromLinks(db: Db, session: SessionEntry): Reason[] {
  return linkedSessions(db, session.session_id).flatMap(({ session_db_id: id, relationship, weight, is_incoming }) => {
    const perhaps = weight < LIKELY ? "perhaps " : "";
    const texts: Readonly<Record<string, [outgoing: string, incoming: string]>> = {
      continues: [`${perhaps}continued by this session`, `${perhaps}continues this session`],
      fixes: ["had an error that this session fixed", "fixed an error of this session"],
      related_to: ["similar to this session", "similar to this session"],
    };
    const reason = texts[relationship]?.[is_incoming];
    return reason === undefined ? [] : [{ id, weight: (LINK_WEIGHTS[relationship] ?? 0) * weight, reason }];
  });
}

const TARGETS = {
  commit: { weight: 6, word: "commit" },
  issue: { weight: 4, word: "issue" },
  url: { weight: 2, word: "URL" },
} as const;

function reasonsFromTargets(db: Db, session: SessionEntry): Reason[] {
  return sharedTargets(db, session.session_id).map((shared) => ({
    id: shared.session_db_id,
    weight: TARGETS[shared.type].weight,
    reason: targetReason(shared),
  }));
}

function targetReason({ type, target, relationship, own_relationship }: SharedTarget): string {
  const what = `${TARGETS[type].word} ${target}`;
  if (relationship === "references" && own_relationship === "mentions")
    return `made ${what}, which this session mentions`;
  if (relationship === "mentions" && own_relationship === "references")
    return `mentions ${what}, which this session made`;
  return `mentions the same ${what}`;
}

const MENTION_WEIGHT = 0.5;
const FILES_NAMED = 3;

/** A rarely changed file counts more than one that every session changes. */
function* reasonsFromFiles(db: Db, session: SessionEntry): Generator<Reason> {
  const rows = sharedChanges(db, session);
  const byPath = Map.groupBy(rows, (row) => row.path);
  const total = Math.max(1, countSessions(db, { projectId: session.project_id }).sessions);
  const rarity = (path: string): number => Math.log(1 + total / Math.max(1, byPath.get(path)?.length ?? 1));
  for (const [id, shared] of Map.groupBy(rows, (row) => row.session_db_id)) {
    const paths = shared.map((row) => row.path).sort((a, b) => rarity(b) - rarity(a));
    const weight = paths.reduce((sum, path) => sum + rarity(path), 0);
    // Two sessions that change many files share some by chance: the tenth counts less than the first.
    yield { id, weight: weight / Math.sqrt(paths.length), reason: `changed the same ${listText(paths, FILES_NAMED)}` };
  }
  const mentions = Map.groupBy(mentionedChanges(db, session), (row) => `${row.session_db_id}:${row.is_incoming}`);
  for (const [first, ...more] of mentions.values()) {
    if (first === undefined) continue;
    const paths = [first, ...more].map((row) => row.path);
    const files = listText(paths, FILES_NAMED);
    const reason = first.is_incoming
      ? `mentions ${files}, changed in this session`
      : `changed ${files}, mentioned in this session`;
    yield { id: first.session_db_id, weight: MENTION_WEIGHT * paths.length, reason };
  }
}

/** Sessions on the same branch are related if less than a week apart, on a trunk such as main less than a day. */
function reasonsFromBranch(db: Db, { project_id, git_branch, started_at, last_at }: SessionEntry): Reason[] {
  if (git_branch === null || git_branch === "") return [];
  const [maxWeight, maxGapMs] = isTrunk(git_branch) ? [0.4, DAY_MS] : [1.5, 7 * DAY_MS];
  const near = sessionsOnBranch(
    db,
    { project_id, git_branch },
    { from: started_at - maxGapMs, to: last_at + maxGapMs },
  );
  return near.map((other) => {
    const gapMs = Math.max(0, other.started_at - last_at, started_at - other.last_at);
    const weight = maxWeight * (1 - gapMs / maxGapMs / 2);
    return { id: other.id, weight, reason: `on the same branch ${git_branch}, ${gapText(gapMs)}` };
  });
}

function gapText(ms: number): string {
  if (ms < 60_000) return "at the same time";
  const minutes = Math.round(ms / 60_000);
  if (minutes < 60) return `${minutes} min apart`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h apart` : `${Math.round(hours / 24)} days apart`;
}
