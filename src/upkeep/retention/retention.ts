// Deletes data beyond the retention limits: by age, by project, by total size. By default everything is kept.
import type { Settings } from "../../config/schema.ts";
import { DAY_MS } from "../../core/time.ts";
import { deriveSession } from "../../memory/derive.ts";
import { updateLinks } from "../../memory/relate/update-links.ts";
import { releasePages, fileSize } from "../../store/db/disk-usage.ts";
import { type Db, isStorageError } from "../../store/db/driver.ts";
import { LOCK_HOLD_MS, inBatches } from "../../store/db/transaction.ts";
import { mergeIndexes } from "../../store/fts/search-index.ts";
import { projectsNamed } from "../../store/tables/projects.ts";
import {
  countOldMemory,
  evidenceBytes,
  isPurged,
  isStillOld,
  type MemoryScope,
  type OldSession,
  purgeEvidence,
  purgeMemory,
  sessionsBefore,
} from "../../store/tables/purge.ts";
import { staleSessions } from "../../store/tables/stale-turns.ts";

export interface PurgePlan {
  /** Sessions whose evidence is deleted, oldest first, with its estimated size. */
  sessions: (OldSession & { bytes: number })[];
  memory: MemoryScope[];
  observations: number;
  /** Estimated size of the evidence of all these sessions. */
  bytes: number;
  /** Bytes to delete because of the size limit, besides those deleted by age. */
  excess: number;
}

const MB = 1024 * 1024;
/** A database over the limit is reduced to 90% of it, so that it is not over the limit again tomorrow. */
const TARGET_SHARE = 0.9;

export function isRetentionSet(settings: Settings): boolean {
  const { retentionEvidenceDays, retentionMemoryDays, retentionMaxMb, retentionProjects } = settings;
  return retentionEvidenceDays + retentionMemoryDays + retentionMaxMb > 0 || Object.keys(retentionProjects).length > 0;
}

export function planPurge(db: Db, settings: Settings, now: number): PurgePlan {
  const rules = rulesOf(db, settings);
  const except = rules.flatMap(({ projectId }) => projectId ?? []);
  const sessions = new Map<number, OldSession & { bytes: number }>();
  const memory: MemoryScope[] = [];
  let byAge = 0;
  for (const { projectId, evidenceDays, memoryDays } of rules) {
    const scope = projectId === undefined ? { except } : { projectId };
    for (const session of evidenceDays === 0 ? [] : sessionsBefore(db, now - evidenceDays * DAY_MS, scope)) {
      const bytes = evidenceBytes(db, session.id);
      sessions.set(session.id, { ...session, bytes });
      byAge += bytes;
    }
    if (memoryDays > 0) memory.push({ before: now - memoryDays * DAY_MS, ...scope });
  }
  const limit = settings.retentionMaxMb * MB;
  const { used } = fileSize(db);
  const excess = limit === 0 || used <= limit ? 0 : Math.max(0, used - limit * TARGET_SHARE - byAge);
  let remaining = excess;
  // A project that keeps all its evidence is exempt from the size limit.
  const exempt = rules.flatMap(({ projectId, evidenceDays }) => (evidenceDays === 0 ? (projectId ?? []) : []));
  for (const session of excess === 0 ? [] : sessionsBefore(db, now - DAY_MS, { except: exempt })) {
    if (sessions.has(session.id)) continue;
    const bytes = evidenceBytes(db, session.id);
    // Below the limit, a large session is not deleted only to reach the target.
    if (remaining <= 0 || (remaining <= limit * (1 - TARGET_SHARE) && bytes > remaining)) break;
    sessions.set(session.id, { ...session, bytes });
    remaining -= bytes;
  }
  const all = [...sessions.values()].toSorted((a, b) => a.last_at - b.last_at);
  const observations = memory.reduce((total, scope) => total + countOldMemory(db, scope), 0);
  return { sessions: all, memory, observations, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0), excess };
}

export interface Purged {
  sessions: number;
  observations: number;
}

/** Progress in bytes. `total` is 0 if it is unknown. */
export interface PurgeStep {
  phase: "extracting memory" | "deleting" | "merging indexes" | "freeing disk space";
  done: number;
  total: number;
}

/** Sizes are estimates: after a round the database is measured again. */
const MAX_ROUNDS = 8;

/**
 * Yields between short steps, so that other processes can write and the caller can stop. `mayVacuum`: whether a file of
 * an early version may be rewritten completely, which frees its space but blocks other writers.
 */
export function* purge(
  db: Db,
  settings: Settings,
  now: number,
  options: { mayVacuum: boolean },
): Generator<PurgeStep, Purged> {
  const purged: Purged = { sessions: 0, observations: 0 };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const plan = planPurge(db, settings, now);
    if (plan.sessions.length + plan.observations === 0) break;
    yield* derive(db, plan, now);
    yield* deletePlanned(db, plan, purged);
    for (const _ of mergeIndexes(db)) yield { phase: "merging indexes", done: 0, total: 0 };
    const total = fileSize(db).free;
    for (const _ of releasePages(db, options))
      yield { phase: "freeing disk space", done: total - fileSize(db).free, total };
  }
  return purged;
}

/** Derives memory of the sessions before their evidence is deleted: right after a sync, memory is not derived yet. */
function* derive(db: Db, plan: PurgePlan, now: number): Generator<PurgeStep, void> {
  const stale = new Set(staleSessions(db).map(({ id }) => id));
  let done = 0;
  for (const { id, session_id, last_at, bytes } of plan.sessions) {
    done += bytes;
    // An interrupted purge leaves a part of a session's evidence: memory would be derived from that part only.
    if (!stale.has(id) || isPurged(db, session_id, last_at)) continue;
    try {
      deriveSession(db, id, now);
    } catch (error) {
      // Other errors are reported by the session's job.
      if (isStorageError(error)) throw error;
    }
    yield { phase: "extracting memory", done, total: plan.bytes };
  }
  while (updateLinks(db, { maxMs: LOCK_HOLD_MS }) > 0) yield { phase: "extracting memory", done, total: plan.bytes };
}

function* deletePlanned(db: Db, plan: PurgePlan, purged: Purged): Generator<PurgeStep, void> {
  let done = 0;
  const steps = function* (): Generator<void, void> {
    for (const session of plan.sessions) {
      done += session.bytes;
      if (!isStillOld(db, session)) continue;
      yield* purgeEvidence(db, session.id);
      purged.sessions += 1;
      yield;
    }
    for (const scope of plan.memory) {
      purged.observations += purgeMemory(db, scope);
      yield;
    }
  };
  for (const _ of inBatches(db, steps())) yield { phase: "deleting", done, total: plan.bytes };
}

interface Rule {
  /** Undefined: all other projects. */
  projectId?: number;
  evidenceDays: number;
  memoryDays: number;
}

function rulesOf(db: Db, settings: Settings): Rule[] {
  const byProject = new Map<number, Rule & { isByKey: boolean }>();
  for (const [name, days] of Object.entries(settings.retentionProjects)) {
    const rule = parseDays(days) ?? { evidenceDays: 0, memoryDays: 0 };
    for (const { id, key } of projectsNamed(db, name)) {
      // Several projects may share a name, so a rule with the key has priority.
      if (byProject.get(id)?.isByKey !== true) byProject.set(id, { projectId: id, ...rule, isByKey: key === name });
    }
  }
  const { retentionEvidenceDays: evidenceDays, retentionMemoryDays: memoryDays } = settings;
  return [...byProject.values(), { evidenceDays, memoryDays }];
}

/** "30" -> evidence 30 days; "30/365" -> memory 365 days, too. An invalid rule keeps everything. */
function parseDays(text: string): Omit<Rule, "projectId"> | undefined {
  const [found, evidence, memory = 0] = /^(\d{1,5})(?:\/(\d{1,5}))?$/.exec(text.trim()) ?? [];
  return found === undefined ? undefined : { evidenceDays: Number(evidence), memoryDays: Number(memory) };
}

/** Messages about project rules that have no effect, because the user may rely on them. */
export function ruleProblems(db: Db, settings: Settings): string[] {
  return Object.entries(settings.retentionProjects).flatMap(([name, days]) => {
    if (projectsNamed(db, name).length === 0)
      return [`retentionProjects: there is no project "${name}"; the general limits apply.`];
    if (parseDays(days) !== undefined) return [];
    return [
      `retentionProjects: "${days}" is neither days (30) nor evidence/memory days (30/365); all data of ${name} is kept.`,
    ];
  });
}
