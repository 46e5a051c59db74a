// Imports a database of C-Mem, claude-mem or memory-nexus, recognised by its tables.
import { AppError } from "../../core/error.ts";
import type { Producer } from "../../core/memory.ts";
import type { Db } from "../../store/db/driver.ts";
import { MERGE_TABLES } from "../../store/db/merge.ts";
import { transaction } from "../../store/db/transaction.ts";
import { exportRows } from "../../store/reads/export-rows.ts";
import { writeFiles } from "../../store/tables/observation-files.ts";
import { contentHash, insertObservation, observationsOfTurn } from "../../store/tables/observations.ts";
import { projectIdOfSession } from "../../store/tables/projects.ts";
import { findSession } from "../../store/tables/sessions.ts";
import { markSessionStale } from "../../store/tables/stale-turns.ts";
import { upsertSummary } from "../../store/tables/summaries.ts";
import { hasTombstone } from "../../store/tables/tombstones.ts";
import { admitIds, storedId } from "../live/ids.ts";
import { storeEvents } from "../sync/sync.ts";
import { isClaudeMem, readClaudeMem } from "./claude-mem.ts";
import type { ForeignSession } from "./foreign-rows.ts";
import { type ImportCounts, importRows } from "./import-rows.ts";
import { isMemoryNexus, readMemoryNexus } from "./memory-nexus.ts";
import { rowCounter, type Source, withSource } from "./source.ts";

const IMPORTED: Producer = { name: "import" };
const COUNTED_TABLES = ["sessions", "prompts", "messages", "tool_uses", "observations", "summaries"];

export type ImportSource = "c-mem" | "claude-mem" | "memory-nexus";

export function importDatabase(db: Db, path: string): ImportCounts & { source: ImportSource } {
  return withSource(path, (source) => {
    const kind = kindOf(source, path);
    switch (kind) {
      case "c-mem":
        return { source: kind, ...importRows(db, limited(exportRows(source.db))) };
      case "memory-nexus":
        return { source: kind, ...importSessions(db, readMemoryNexus(source, db)) };
      case "claude-mem":
        return { source: kind, ...importSessions(db, readClaudeMem(source, db)) };
    }
  });
}

/** Throws if the file cannot be imported. */
export function checkSource(path: string): void {
  withSource(path, (source) => kindOf(source, path));
}

/** Throws above the limit of rows. */
function* limited<T>(rows: Iterable<T>): Generator<T, void> {
  const countRow = rowCounter();
  for (const row of rows) {
    countRow();
    yield row;
  }
}

function kindOf({ tables }: Source, path: string): ImportSource {
  if (tables.has("migrations") && MERGE_TABLES.every((table) => tables.has(table))) return "c-mem";
  if (isMemoryNexus(tables)) return "memory-nexus";
  if (isClaudeMem(tables)) return "claude-mem";
  throw new AppError("import_unknown", `${path} is not a database that C-Mem can import.`, {
    hint: "Supported: databases of C-Mem, claude-mem and memory-nexus. Views and virtual tables are not read.",
  });
}

function importSessions(db: Db, sessions: Iterable<ForeignSession>): ImportCounts {
  const before = countRows(db);
  let [total, rejected] = [0, 0];
  for (const session of sessions) {
    total += session.events.length + session.observations.length + session.summaries.length;
    rejected += transaction(db, () => importSession(db, session));
  }
  const added = Object.fromEntries(
    [...countRows(db)]
      .map(([table, rows]) => [table, rows - (before.get(table) ?? 0)] as const)
      .filter(([, rows]) => rows > 0),
  );
  const sum = Object.values(added).reduce((rows, one) => rows + one, 0);
  return { added, known: Math.max(0, total - sum - rejected), refused: rejected };
}

/** Returns how many items could not be stored because they have no time or no session. */
function importSession(db: Db, { sessionId, events, observations, summaries }: ForeignSession): number {
  const timed = events.filter(({ at }) => at > 0);
  storeEvents(db, timed.map(admitIds));
  const session = findSession(db, storedId(sessionId));
  if (session === undefined) return events.length + observations.length + summaries.length;
  const sessionDbId = session.id;
  const projectId = projectIdOfSession(db, sessionDbId);
  for (const { promptNumber, at, observation, files } of observations) {
    const hash = contentHash(observation);
    const isKnown = observationsOfTurn(db, sessionDbId, promptNumber).some((row) => row.content_hash === hash);
    if (isKnown || hasTombstone(db, { kind: "observation", hash })) continue;
    const turn = { sessionDbId, promptNumber };
    const id = insertObservation(db, { projectId, turn, observation, producer: IMPORTED, validFrom: at }, at);
    writeFiles(db, id, files);
  }
  for (const { promptNumber, at, summary } of summaries)
    upsertSummary(db, { sessionDbId, promptNumber }, summary, IMPORTED, at);
  markSessionStale(db, sessionDbId);
  return events.length - timed.length;
}

function countRows(db: Db): Map<string, number> {
  const count = (table: string): number => db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0;
  return new Map(COUNTED_TABLES.map((table) => [table, count(table)]));
}
