// claude-mem's database, in any of its forms: sessions, prompts, observations, summaries.
import type { Db } from "../../store/db/driver.ts";
import {
  eventOf,
  fileUsesFrom,
  type ForeignSession,
  number,
  observationFrom,
  projectNamed,
  type Row,
  summaryFrom,
  text,
  time,
} from "./foreign.ts";
import { MAX_SESSION_ROWS, type Source } from "./source.ts";

const SESSION_TABLES = ["sdk_sessions", "streaming_sessions", "sessions"];
/** By what its other tables name a session: the agent's id, its own, or the row's number. */
const OF_SESSION = [
  "session_db_id",
  "sdk_session_id",
  "memory_session_id",
  "claude_session_id",
  "content_session_id",
  "session_id",
];

export function isClaudeMem(tables: ReadonlySet<string>): boolean {
  if (tables.has("sdk_sessions") || tables.has("streaming_sessions")) return true;
  return tables.has("sessions") && tables.has("user_prompts");
}

export function* readClaudeMem(source: Source, db: Db): Generator<ForeignSession, void> {
  const table = SESSION_TABLES.find((name) => source.tables.has(name)) ?? "";
  for (const row of source.rows(table)) {
    const sessionId = text(row, "claude_session_id", "content_session_id", "session_id");
    if (sessionId === "") continue;
    const names = new Set(
      [row["id"], ...OF_SESSION.map((name) => row[name])].filter((name) => name !== null && name !== undefined),
    );
    const rowsOf = (other: string): Row[] => (source.tables.has(other) ? rowsOfSession(source, other, names) : []);
    yield toSession(db, row, sessionId, {
      prompts: rowsOf("user_prompts"),
      observations: rowsOf("observations"),
      summaries: rowsOf("session_summaries"),
    });
  }
}

/** When it was completed; claude-mem also writes a summary when a turn ends. 0 where nothing tells of an end. */
function endOf(row: Row, lastAt: number, summaries: number): number {
  const noted = time(row, "completed_at_epoch", "completed_at");
  return noted === 0 && (text(row, "status") === "completed" || summaries > 0) ? lastAt : noted;
}

function rowsOfSession(source: Source, table: string, names: ReadonlySet<unknown>): Row[] {
  const columns = source.columnsOf(table);
  const column = OF_SESSION.find((name) => columns.includes(name));
  if (column === undefined) return [];
  const where = `${column} IN (SELECT value FROM json_each(?))`;
  return [...source.rows(table, { where, params: [JSON.stringify([...names])], limit: MAX_SESSION_ROWS })];
}

function toSession(
  db: Db,
  row: Row,
  sessionId: string,
  { prompts, observations, summaries }: Record<"prompts" | "observations" | "summaries", Row[]>,
): ForeignSession {
  const project = projectNamed(db, text(row, "project"), "");
  const session = { sessionId, project, cwd: project.root };
  const startedAt = time(row, "started_at_epoch", "started_at", "created_at_epoch", "created_at");
  const at = (other: Row): number => time(other, "created_at_epoch", "created_at") || startedAt;
  const first = text(row, "user_prompt");
  const said = prompts
    .map((one) => ({ at: at(one), words: text(one, "prompt_text", "prompt") }))
    .filter(({ words }) => words !== "");
  const all = said.length > 0 || first === "" ? said : [{ at: startedAt, words: first }];
  const title = text(row, "title");
  const endedAt = endOf(row, Math.max(startedAt, ...all.map((one) => one.at), ...summaries.map(at)), summaries.length);
  return {
    sessionId,
    events: [
      ...all.map((one) => eventOf(session, one.at, { kind: "prompt", text: one.words })),
      ...(title === "" ? [] : [eventOf(session, startedAt, { kind: "title", title })]),
      ...(all.length === 0 ? [eventOf(session, startedAt, { kind: "session-start", source: "import" })] : []),
      ...(endedAt === 0 ? [] : [eventOf(session, endedAt, { kind: "session-end", reason: "import" })]),
    ],
    observations: observations.map((one) => ({
      promptNumber: number(one, "prompt_number") ?? 1,
      at: at(one),
      observation: observationFrom(one),
      files: fileUsesFrom(one),
    })),
    summaries: summaries.map((one) => ({
      promptNumber: number(one, "prompt_number") ?? 0,
      at: at(one),
      summary: summaryFrom(one),
    })),
  };
}
