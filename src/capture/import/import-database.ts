// Imports another database: one of ours, claude-mem's or memory-nexus's, told apart by their tables.
import { AppError } from "../../core/error.ts";
import type { Producer } from "../../core/memory.ts";
import type { Db } from "../../store/db/driver.ts";
import { exportRows } from "../../store/reads/export-rows.ts";
import { writeFiles } from "../../store/tables/observation-files.ts";
import { hasTombstone } from "../../store/tables/tombstones.ts";
import { contentHash, insertObservation, observationsOfTurn } from "../../store/tables/observations.ts";
import { projectIdOfSession } from "../../store/tables/projects.ts";
import { findSession } from "../../store/tables/sessions.ts";
import { MERGE_TABLES } from "../../store/db/merge.ts";
import { markSessionStale } from "../../store/tables/stale-turns.ts";
import { upsertSummary } from "../../store/tables/summaries.ts";
import { transaction } from "../../store/db/transaction.ts";
import { admitIds, storedId } from "../live/ids.ts";
import { storeEvents } from "../sync/sync.ts";
import { isClaudeMem, readClaudeMem } from "./claude-mem.ts";
import type { ForeignSession } from "./foreign.ts";
import { type ImportCounts, importRows } from "./import-rows.ts";
import { isMemoryNexus, readMemoryNexus } from "./memory-nexus.ts";
import { rowCounter, withSource } from "./source.ts";

const IMPORTED: Producer = { name: "import" };
const COUNTED = ["sessions", "prompts", "messages", "tool_uses", "observations", "summaries"] as const;

export type ImportSource = "c-mem" | "claude-mem" | "memory-nexus";

export function importDatabase(db: Db, path: string): ImportCounts & { source: ImportSource } {
  return withSource(path, (source) => {
    const kind = kindOf(source.tables);
    switch (kind) {
      case "c-mem":
        return { source: kind, ...importRows(db, counted(exportRows(source.db))) };
      case "memory-nexus":
        return { source: kind, ...importSessions(db, readMemoryNexus(source, db)) };
      case "claude-mem":
        return { source: kind, ...importSessions(db, readClaudeMem(source, db)) };
      case undefined:
        throw unknown(path);
    }
  });
}

/** Throws what importing it would, before anything has been done for it. */
export function checkSource(path: string): void {
  withSource(path, ({ tables }) => {
    if (kindOf(tables) === undefined) throw unknown(path);
  });
}

function* counted<T>(rows: Iterable<T>): Generator<T, void> {
  const countRow = rowCounter();
  for (const row of rows) {
    countRow();
    yield row;
  }
}

function kindOf(tables: ReadonlySet<string>): ImportSource | undefined {
  if (tables.has("migrations") && MERGE_TABLES.every((table) => tables.has(table))) return "c-mem";
  if (isMemoryNexus(tables)) return "memory-nexus";
  return isClaudeMem(tables) ? "claude-mem" : undefined;
}

function unknown(path: string): AppError {
  return new AppError("import_unknown", `${path} is not a database that C-Mem can import.`, {
    hint: "It imports those of C-Mem, claude-mem and memory-nexus. Views and virtual tables are not read.",
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
  storeEvents(db, events.filter(({ at }) => at > 0).map(admitIds));
  const session = findSession(db, storedId(sessionId));
  if (session === undefined) return events.length + observations.length + summaries.length;
  const projectId = projectIdOfSession(db, session.id);
  for (const { promptNumber, at, observation, files } of observations) {
    const turn = { sessionDbId: session.id, promptNumber };
    const hash = contentHash(observation);
    const isKnown = observationsOfTurn(db, session.id, promptNumber).some((row) => row.content_hash === hash);
    if (isKnown || hasTombstone(db, { kind: "observation", hash })) continue;
    const id = insertObservation(db, { projectId, turn, observation, producer: IMPORTED, validFrom: at }, at);
    writeFiles(db, id, files);
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
