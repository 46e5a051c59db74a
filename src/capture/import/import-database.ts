// Imports another database: one of ours, claude-mem's or memory-nexus's, told apart by their tables.
import { AppError } from "../../core/error.ts";
import type { Producer } from "../../core/memory.ts";
import { isDamage, openDriver, type Db } from "../../store/driver.ts";
import { exportRows } from "../../store/export-rows.ts";
import { contentHash, insertObservation, isForgotten, observationsOfTurn } from "../../store/observations.ts";
import { projectIdOfSession } from "../../store/projects.ts";
import { findSession } from "../../store/sessions.ts";
import { markSessionStale } from "../../store/stale-turns.ts";
import { upsertSummary } from "../../store/summaries.ts";
import { transaction } from "../../store/transaction.ts";
import { storeEvents } from "../sync.ts";
import { isClaudeMem, readClaudeMem } from "./claude-mem.ts";
import type { ForeignSession } from "./foreign.ts";
import { type ImportCounts, importRows } from "./import-rows.ts";
import { isMemoryNexus, readMemoryNexus } from "./memory-nexus.ts";

const BUSY_TIMEOUT_MS = 1_000;
const IMPORTED: Producer = { name: "import" };
const COUNTED = ["sessions", "prompts", "messages", "tool_uses", "observations", "summaries"] as const;

export type ImportSource = "c-mem" | "claude-mem" | "memory-nexus";

export function importDatabase(db: Db, path: string): ImportCounts & { source: ImportSource } {
  return withSource(path, (source, tables) => {
    const kind = kindOf(tables);
    switch (kind) {
      case "c-mem":
        return { source: kind, ...importRows(db, exportRows(source)) };
      case "memory-nexus":
        return { source: kind, ...importSessions(db, readMemoryNexus(source, db)) };
      case "claude-mem":
        return { source: kind, ...importSessions(db, readClaudeMem(source, tables, db)) };
      case undefined:
        throw unknown(path);
    }
  });
}

/** Throws what importing it would, before anything has been done for it. */
export function checkSource(path: string): void {
  withSource(path, (_source, tables) => {
    if (kindOf(tables) === undefined) throw unknown(path);
  });
}

function withSource<T>(path: string, work: (source: Db, tables: ReadonlySet<string>) => T): T {
  const source = openDriver(path, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    return work(
      source,
      new Set(source.all<{ name: string }>("SELECT name FROM sqlite_schema").map(({ name }) => name)),
    );
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new AppError("import_damaged", `${path} is damaged: ${(error as Error).message}.`, { cause: undefined });
  } finally {
    source.close();
  }
}

function kindOf(tables: ReadonlySet<string>): ImportSource | undefined {
  if (tables.has("migrations") && tables.has("tombstones")) return "c-mem";
  if (isMemoryNexus(tables)) return "memory-nexus";
  return isClaudeMem(tables) ? "claude-mem" : undefined;
}

function unknown(path: string): AppError {
  return new AppError("import_unknown", `${path} is no database that is known here.`, {
    hint: "Those of C-Mem, claude-mem and memory-nexus are.",
  });
}

function importSessions(db: Db, sessions: Iterable<ForeignSession>): ImportCounts {
  const before = countRows(db);
  let [given, refused] = [0, 0];
  for (const session of sessions) {
    given += session.events.length + session.observations.length + session.summaries.length;
    refused += transaction(db, () => importSession(db, session));
  }
  const after = countRows(db);
  const added = Object.fromEntries(
    COUNTED.flatMap((table) => (after[table] > before[table] ? [[table, after[table] - before[table]]] : [])),
  );
  const sum = Object.values(added).reduce((total, one) => total + one, 0);
  return { added, known: Math.max(0, given - sum - refused), refused };
}

/** Returns how much of it has no place. */
function importSession(db: Db, { sessionId, events, observations, summaries }: ForeignSession): number {
  storeEvents(
    db,
    events.filter(({ at }) => at > 0),
  );
  const session = findSession(db, sessionId);
  if (session === undefined) return events.length + observations.length + summaries.length;
  const projectId = projectIdOfSession(db, session.id);
  for (const { promptNumber, at, observation } of observations) {
    const turn = { sessionDbId: session.id, promptNumber };
    const hash = contentHash(observation);
    const isKnown = observationsOfTurn(db, session.id, promptNumber).some((row) => row.content_hash === hash);
    if (isKnown || isForgotten(db, hash)) continue;
    insertObservation(db, { projectId, turn, observation, producer: IMPORTED, validFrom: at }, at);
  }
  for (const { promptNumber, at, summary } of summaries) {
    upsertSummary(db, { sessionDbId: session.id, promptNumber }, summary, IMPORTED, at);
  }
  markSessionStale(db, session.id);
  return events.filter(({ at }) => at <= 0).length;
}

function countRows(db: Db): Record<(typeof COUNTED)[number], number> {
  const count = (table: string): number => db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0;
  return Object.fromEntries(COUNTED.map((table) => [table, count(table)])) as Record<(typeof COUNTED)[number], number>;
}
