// How long things are kept: by age, by project, by the size of the whole. Unless the user says so, for good.
import type { Settings } from "../../config/schema.ts";
import { type Db, isStoreTrouble } from "../../store/db/driver.ts";
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
import { mergeIndexes } from "../../store/fts/search-index.ts";
import { giveBack, roomOf } from "../../store/db/disk-usage.ts";
import { staleSessions } from "../../store/tables/stale-turns.ts";
import { HELD_MS, inBatches } from "../../store/db/transaction.ts";
import { deriveSession } from "../../memory/derive.ts";
import { updateLinks } from "../../memory/relate/update-links.ts";

/** With what its evidence takes, roughly. */
export type PurgedSession = OldSession & { bytes: number };

export interface PurgePlan {
  /** Sessions whose evidence goes, oldest first. */
  sessions: PurgedSession[];
  memory: MemoryScope[];
  observations: number;
  /** What all that takes, roughly. */
  bytes: number;
  /** More than the limit: so much has to go by size. */
  excess: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MB = 1024 * 1024;
/** Where the limit is passed, a little more goes than must, so that it is not passed again tomorrow. */
const AFTERWARDS = 0.9;

export function isRetentionSet(settings: Settings): boolean {
  const { retentionEvidenceDays, retentionMemoryDays, retentionMaxMb, retentionProjects } = settings;
  return retentionEvidenceDays + retentionMemoryDays + retentionMaxMb > 0 || Object.keys(retentionProjects).length > 0;
}

export function planPurge(db: Db, settings: Settings, now: number): PurgePlan {
  const rules = rulesOf(db, settings);
  const except = rules.flatMap(({ projectId }) => projectId ?? []);
  const sessions = new Map<number, PurgedSession>();
  const choose = (session: OldSession, bytes = evidenceBytes(db, session.id)): void =>
    void sessions.set(session.id, { ...session, bytes });
  const memory: MemoryScope[] = [];
  for (const { projectId, evidenceDays, memoryDays } of rules) {
    const scope = projectId === undefined ? { except } : { projectId };
    const old = evidenceDays === 0 ? [] : sessionsBefore(db, now - evidenceDays * DAY_MS, scope);
    for (const session of old) choose(session);
    if (memoryDays > 0) memory.push({ before: now - memoryDays * DAY_MS, ...scope });
  }
  const byAge = sum([...sessions.values()]);
  const limit = settings.retentionMaxMb * MB;
  const { used } = roomOf(db);
  const excess = limit === 0 || used <= limit ? 0 : Math.max(0, used - limit * AFTERWARDS - byAge);
  let left = excess;
  // Of a project that keeps all its evidence nothing goes by size either.
  const kept = rules.flatMap(({ projectId, evidenceDays }) =>
    evidenceDays === 0 && projectId !== undefined ? [projectId] : [],
  );
  for (const session of excess === 0 ? [] : sessionsBefore(db, now - DAY_MS, { except: kept })) {
    if (sessions.has(session.id)) continue;
    const bytes = evidenceBytes(db, session.id);
    // Within the limit a large one does not go for the little that it is to be more.
    if (left <= 0 || (left <= limit * (1 - AFTERWARDS) && bytes > left)) break;
    choose(session, bytes);
    left -= bytes;
  }
  const all = [...sessions.values()].toSorted((a, b) => a.last_at - b.last_at);
  const observations = memory.reduce((total, scope) => total + countOldMemory(db, scope), 0);
  return { sessions: all, memory, observations, bytes: sum(all), excess };
}

export interface Purged {
  sessions: number;
  observations: number;
}

/** How far it has come, in bytes; a total of 0: nobody knows how much there is. */
export interface PurgeStep {
  phase: "learning" | "taking out" | "merging indexes" | "giving back";
  done: number;
  total: number;
}

export interface PurgeOptions {
  /** A file from before room could be given back in steps is written anew for it: others wait for that. */
  mayVacuum: boolean;
}

/** What a session takes is an estimate: where a limit is set, it is looked again. */
const ROUNDS = 8;

/** In short steps: between two of them others may write, and it may end. What was taken out by then stays so. */
export function* purge(db: Db, settings: Settings, now: number, options: PurgeOptions): Generator<PurgeStep, Purged> {
  const all: Purged = { sessions: 0, observations: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const plan = planPurge(db, settings, now);
    if (plan.sessions.length + plan.observations === 0) break;
    yield* learn(db, plan, now);
    yield* takeOut(db, plan, all);
    for (const _ of mergeIndexes(db)) yield { phase: "merging indexes", done: 0, total: 0 };
    const total = roomOf(db).free;
    for (const _ of giveBack(db, options)) yield { phase: "giving back", done: total - roomOf(db).free, total };
  }
  return all;
}

/** Right after a sync nothing is learnt yet, and afterwards there is nothing to learn it from. */
function* learn(db: Db, plan: PurgePlan, now: number): Generator<PurgeStep, void> {
  const stale = new Set(staleSessions(db).map(({ id }) => id));
  let done = 0;
  for (const { id, session_id, last_at, bytes } of plan.sessions) {
    done += bytes;
    // Of what an interrupted purge has left, half would be learnt.
    if (!stale.has(id) || isPurged(db, session_id, last_at)) continue;
    tryDerive(db, id, now);
    yield { phase: "learning", done, total: plan.bytes };
  }
  while (updateLinks(db, { maxMs: HELD_MS }) > 0) yield { phase: "learning", done, total: plan.bytes };
}

function tryDerive(db: Db, sessionDbId: number, now: number): void {
  try {
    deriveSession(db, sessionDbId, now);
  } catch (error) {
    if (isStoreTrouble(error)) throw error;
    // Why nothing can be learnt of it, its job says.
  }
}

function* takeOut(db: Db, plan: PurgePlan, all: Purged): Generator<PurgeStep, void> {
  let done = 0;
  const steps = function* (): Generator<void, void> {
    for (const session of plan.sessions) {
      done += session.bytes;
      if (!isStillOld(db, session)) continue;
      yield* purgeEvidence(db, session.id);
      all.sessions += 1;
      yield;
    }
    for (const scope of plan.memory) {
      all.observations += purgeMemory(db, scope);
      yield;
    }
  };
  for (const _ of inBatches(db, steps())) yield { phase: "taking out", done, total: plan.bytes };
}

interface Rule {
  /** Left out: all others. */
  projectId?: number;
  evidenceDays: number;
  memoryDays: number;
}

function rulesOf(db: Db, settings: Settings): Rule[] {
  const own = new Map<number, Rule & { isByKey: boolean }>();
  for (const [name, text] of Object.entries(settings.retentionProjects)) {
    const { evidenceDays, memoryDays } = daysOf(text);
    for (const { id, key } of projectsNamed(db, name)) {
      // A name is that of all who are called so; a key says which.
      if (own.get(id)?.isByKey !== true)
        own.set(id, { projectId: id, evidenceDays, memoryDays, isByKey: key === name });
    }
  }
  return [...own.values(), { evidenceDays: settings.retentionEvidenceDays, memoryDays: settings.retentionMemoryDays }];
}

interface Days {
  evidenceDays: number;
  memoryDays: number;
  isUnderstood: boolean;
}

/** What is not understood keeps everything. */
function daysOf(text: string): Days {
  const [found, evidence, memory] = /^(\d{1,5})(?:\/(\d{1,5}))?$/.exec(text.trim()) ?? [];
  return { evidenceDays: Number(evidence ?? 0), memoryDays: Number(memory ?? 0), isUnderstood: found !== undefined };
}

/** Rules that do not do what was meant: somebody may rely on one that keeps a project. */
export function ruleProblems(db: Db, settings: Settings): string[] {
  return Object.entries(settings.retentionProjects).flatMap(([name, days]) => {
    if (projectsNamed(db, name).length === 0)
      return [`retentionProjects: there is no project "${name}"; what is meant goes as everything else does.`];
    if (daysOf(days).isUnderstood) return [];
    return [`retentionProjects: "${days}" is no number of days, nor two (30/365); everything of ${name} is kept.`];
  });
}

function sum(sessions: readonly PurgedSession[]): number {
  return sessions.reduce((total, { bytes }) => total + bytes, 0);
}
