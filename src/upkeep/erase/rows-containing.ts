// Which rows hold a text, word for word: for forgetting all that says it, and for proving that nothing does any more.
import type { Db, Param } from "../../store/db/driver.ts";
import { outputOf } from "../../store/tables/packed.ts";

interface Place {
  /** What a row is called. */
  item: string;
  from: string;
  columns: string[];
  /** Of the project with this number, or of all. */
  scope: string;
}

const OF_SESSION = "(?2 IS NULL OR x.session_db_id IN (SELECT id FROM sessions WHERE project_id = ?2))";

const ITEMS: Place[] = [
  { item: "'p' || x.id", from: "prompts x", columns: ["x.text"], scope: OF_SESSION },
  { item: "'m' || x.id", from: "messages x", columns: ["x.text", "x.thinking"], scope: OF_SESSION },
  { item: "'t' || x.id", from: "tool_uses x", columns: ["x.name", "x.input", outputOf("x")], scope: OF_SESSION },
  {
    item: "'o' || x.id",
    from: "observations x",
    columns: ["x.title", "x.subtitle", "x.narrative", "x.facts", "x.files", "x.subject"],
    scope: "(?2 IS NULL OR x.project_id IS NULL OR x.project_id = ?2)",
  },
];

const SUMMARY_COLUMNS = [
  "request",
  "investigated",
  "learned",
  "completed",
  "next_steps",
  "notes",
  "files_read",
  "files_edited",
];
const ITS_SESSION = "(SELECT session_id FROM sessions WHERE id = x.session_db_id)";

/** What is not an item of its own, but stands beside one: the last words of a turn, what a session is called. */
const RESPONSES: Place = { item: "x.id", from: "prompts x", columns: ["x.response"], scope: OF_SESSION };
const NAMES: Place = {
  item: "x.session_id",
  from: "sessions x",
  columns: ["x.title", "x.subtitle", "x.agent_title", "x.report"],
  scope: "(?2 IS NULL OR x.project_id = ?2)",
};
const SUMMARIES: Place = {
  item: "x.id",
  from: "summaries x",
  columns: SUMMARY_COLUMNS.map((name) => `x.${name}`),
  scope: OF_SESSION,
};

/** Where words may stand that nobody wrote as words: in the names of folders, branches and files. */
const SURROUNDINGS: Place[] = [
  { ...RESPONSES, item: "'p' || x.id" },
  { ...NAMES, columns: [...NAMES.columns, "x.cwd", "x.git_branch", "x.transcript_path"] },
  { ...SUMMARIES, item: ITS_SESSION },
  { item: ITS_SESSION, from: "commits x", columns: ["x.subject", "x.branch"], scope: OF_SESSION },
  { item: ITS_SESSION, from: "file_snapshots x", columns: ["x.path"], scope: OF_SESSION },
  { item: "'t' || x.tool_use_db_id", from: "file_touches x", columns: ["x.path"], scope: OF_SESSION },
  { item: "x.source_id", from: "links x", columns: ["x.target_id"], scope: "?2 IS NULL" },
  { item: "x.path", from: "sync_state x", columns: ["x.path", "x.state"], scope: "?2 IS NULL" },
  {
    item: "'project ' || x.name",
    from: "projects x",
    columns: ["x.key", "x.name", "x.root", "x.remote"],
    scope: "?2 IS NULL",
  },
];

const ANY_CASE = "instr(lower(%), lower(value))";

/** Items that hold the text, in upper or lower case. */
export function itemsHolding(db: Db, text: string, projectId: number | undefined): string[] {
  const forms = JSON.stringify([...new Set([text, JSON.stringify(text).slice(1, -1)])]);
  return ITEMS.flatMap((place) => holding(db, place, ANY_CASE, [forms, projectId ?? null], -1));
}

export interface Asides {
  /** Row ids of prompts whose last words hold it. */
  responses: number[];
  /** Sessions whose names or reports do. */
  sessions: string[];
  /** Turns, or whole sessions, whose summaries do. */
  summaries: { session_id: string; session_db_id: number; prompt_number: number }[];
}

export function findRowsContaining(db: Db, text: string, projectId: number | undefined): Asides {
  const params = [JSON.stringify([text]), projectId ?? null];
  const find = (place: Place): string[] => holding(db, place, ANY_CASE, params, -1);
  return {
    responses: find(RESPONSES).map(Number),
    sessions: find(NAMES),
    summaries: db.all(
      `SELECT DISTINCT s.session_id, u.session_db_id, u.prompt_number FROM summaries u JOIN sessions s ON s.id = u.session_db_id
       WHERE u.id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(find(SUMMARIES)),
    ),
  };
}

const MAX_NAMED = 20;

/** Where any of the pieces still stands, by item or session. */
export function placesHolding(db: Db, pieces: readonly string[]): string[] {
  const params = [JSON.stringify(pieces), null];
  const found = [...ITEMS, ...SURROUNDINGS].flatMap((place) => holding(db, place, ANY_CASE, params, MAX_NAMED));
  return [...new Set(found)];
}

function holding(
  db: Db,
  { item, from, columns, scope }: Place,
  test: string,
  params: Param[],
  limit: number,
): string[] {
  const any = columns.map((column) => test.replace("%", column)).join(" OR ");
  const sql = `SELECT ${item} AS item FROM ${from} WHERE ${scope} AND EXISTS (SELECT 1 FROM json_each(?1) WHERE ${any}) LIMIT ${limit}`;
  return db.all<{ item: string }>(sql, ...params).map((row) => row.item);
}
