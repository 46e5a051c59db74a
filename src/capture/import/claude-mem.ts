// Reads the database of any claude-mem version: sessions, prompts, observations, summaries.
import { CONCEPTS, type Observation, OBSERVATION_TYPES } from "../../core/memory.ts";
import { titleOf } from "../../core/title.ts";
import type { Db } from "../../store/db/driver.ts";
import { eventOf, type ForeignSession, number, projectNamed, type Row, strings, text, time } from "./foreign-rows.ts";
import { MAX_SESSION_ROWS, type Source } from "./source.ts";

const SESSION_TABLES = ["sdk_sessions", "streaming_sessions", "sessions"];
/** Columns in which other tables name a session: by the agent's id, claude-mem's own id or the row's number. */
const SESSION_KEYS = [
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
    const keys = [row["id"], ...SESSION_KEYS.map((name) => row[name])].filter(
      (key) => key !== null && key !== undefined,
    );
    const rowsOf = (other: string): Row[] => {
      const columns = source.tables.has(other) ? source.columnsOf(other) : [];
      const column = SESSION_KEYS.find((name) => columns.includes(name));
      if (column === undefined) return [];
      const where = `${column} IN (SELECT value FROM json_each(?))`;
      return [...source.rows(other, { where, params: [JSON.stringify(keys)], limit: MAX_SESSION_ROWS })];
    };
    yield toSession(db, row, sessionId, {
      prompts: rowsOf("user_prompts"),
      observations: rowsOf("observations"),
      summaries: rowsOf("session_summaries"),
    });
  }
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
  const timeOf = (other: Row): number => time(other, "created_at_epoch", "created_at") || startedAt;
  const stored = prompts
    .map((one) => ({ at: timeOf(one), words: text(one, "prompt_text", "prompt") }))
    .filter(({ words }) => words !== "");
  const first = text(row, "user_prompt");
  const all = stored.length > 0 || first === "" ? stored : [{ at: startedAt, words: first }];
  const title = text(row, "title");
  // claude-mem does not always note a session's end, but it writes a summary when a turn ends.
  const lastAt = Math.max(startedAt, ...all.map(({ at }) => at), ...summaries.map(timeOf));
  const isEnded = text(row, "status") === "completed" || summaries.length > 0;
  const endedAt = time(row, "completed_at_epoch", "completed_at") || (isEnded ? lastAt : 0);
  return {
    sessionId,
    events: [
      ...all.map(({ at, words }) => eventOf(session, at, { kind: "prompt", text: words })),
      ...(title === "" ? [] : [eventOf(session, startedAt, { kind: "title", title })]),
      ...(all.length === 0 ? [eventOf(session, startedAt, { kind: "session-start", source: "import" })] : []),
      ...(endedAt === 0 ? [] : [eventOf(session, endedAt, { kind: "session-end", reason: "import" })]),
    ],
    observations: observations.map((one) => {
      const modified = [...new Set(strings(one, "files_modified"))];
      const read = [...new Set(strings(one, "files_read"))].filter((file) => !modified.includes(file));
      const promptNumber = number(one, "prompt_number") ?? 1;
      return { promptNumber, at: timeOf(one), observation: toObservation(one), files: { read, modified } };
    }),
    summaries: summaries.map((one) => ({
      promptNumber: number(one, "prompt_number") ?? 0,
      at: timeOf(one),
      summary: {
        request: text(one, "request"),
        investigated: text(one, "investigated"),
        learned: text(one, "learned"),
        completed: text(one, "completed", "summary"),
        nextSteps: text(one, "next_steps"),
        filesRead: strings(one, "files_read"),
        filesEdited: strings(one, "files_edited"),
        notes: text(one, "notes"),
        evidence: [],
      },
    })),
  };
}

function toObservation(row: Row): Observation {
  const narrative = text(row, "narrative", "text");
  const subtitle = text(row, "subtitle");
  const concepts = strings(row, "concepts");
  return {
    type: OBSERVATION_TYPES.find((type) => type === row["type"]) ?? "discovery",
    title: text(row, "title") || titleOf(narrative) || "(without a title)",
    ...(subtitle !== "" && { subtitle }),
    narrative,
    facts: strings(row, "facts"),
    concepts: CONCEPTS.filter((concept) => concepts.includes(concept)),
    files: [...new Set(strings(row, "files_modified", "files_read"))],
    evidence: [],
    origin: "assistant",
  };
}
