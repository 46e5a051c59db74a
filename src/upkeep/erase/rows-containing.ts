// Finds the rows that contain a text, ignoring case: to forget them, and to verify that they are gone.
import type { Db } from "../../store/db/driver.ts";
import { and, anyOf, raw, sql } from "../../store/db/sql.ts";
import { outputOf } from "../../store/tables/tool-uses.ts";

interface TextColumns {
  /** SQL for the id that is reported for a row. */
  item: string;
  table: string;
  columns: string[];
  /** Where the project of a row is stored: in the row, in its session, or nowhere. */
  scope: "own" | "session" | "none";
}

const ITEMS: TextColumns[] = [
  { item: "'p' || x.id", table: "prompts", columns: ["text"], scope: "session" },
  { item: "'m' || x.id", table: "messages", columns: ["text", "thinking"], scope: "session" },
  { item: "'t' || x.id", table: "tool_uses", columns: ["name", "input", outputOf("x").text], scope: "session" },
  {
    item: "'o' || x.id",
    table: "observations",
    columns: ["title", "subtitle", "narrative", "facts", "files", "subject"],
    scope: "own",
  },
];

const RESPONSES: TextColumns = { item: "x.id", table: "prompts", columns: ["response"], scope: "session" };
const TITLES: TextColumns = {
  item: "x.session_id",
  table: "sessions",
  columns: ["title", "subtitle", "agent_title", "report"],
  scope: "own",
};
const SUMMARIES: TextColumns = {
  item: "x.id",
  table: "summaries",
  columns: [
    "title",
    "subtitle",
    "request",
    "investigated",
    "learned",
    "completed",
    "next_steps",
    "notes",
    "handover",
    "files_read",
    "files_edited",
  ],
  scope: "session",
};

/** Their subjects are words of the turns they are linked to. */
const COMMITS: TextColumns = { item: "x.id", table: "commits", columns: ["subject"], scope: "session" };

const SESSION_ID = "(SELECT session_id FROM sessions WHERE id = x.session_db_id)";

/** Texts besides the items, such as the names of folders, branches and files. */
const OTHERS: TextColumns[] = [
  { ...RESPONSES, item: "'p' || x.id" },
  { ...TITLES, columns: [...TITLES.columns, "cwd", "git_branch", "transcript_path"] },
  { ...SUMMARIES, item: SESSION_ID },
  { item: SESSION_ID, table: "model_replies", columns: ["reply"], scope: "session" },
  { item: SESSION_ID, table: "commits", columns: ["subject", "branch", "author"], scope: "session" },
  { item: SESSION_ID, table: "file_snapshots", columns: ["path"], scope: "session" },
  { item: "'t' || x.tool_use_db_id", table: "file_touches", columns: ["path"], scope: "session" },
  { item: "x.source_id", table: "links", columns: ["target_id"], scope: "none" },
  { item: "x.path", table: "sync_state", columns: ["path", "state"], scope: "none" },
  { item: "'project ' || x.name", table: "projects", columns: ["key", "name", "root", "remote"], scope: "none" },
];

/** Ids of the prompts, messages, tool uses and observations that contain the text. */
export function findItemsContaining(db: Db, text: string, projectId: number | undefined): string[] {
  // Tool inputs are stored as JSON, where quotes and line ends are escaped.
  const forms = [...new Set([text, JSON.stringify(text).slice(1, -1)])];
  return ITEMS.flatMap((source) => find(db, source, forms, projectId));
}

export interface DerivedRows {
  /** Row ids of the prompts of matching responses. */
  responses: number[];
  /** Ids of the sessions of matching titles and reports. */
  sessions: string[];
  /** The turns or sessions of matching summaries. */
  summaries: { session_id: string; session_db_id: number; prompt_number: number }[];
  /** Row ids of the commits with matching subjects. */
  commits: number[];
}

/** The responses, titles, reports, summaries and commits that contain the text. */
export function findDerivedRowsContaining(db: Db, text: string, projectId: number | undefined): DerivedRows {
  return {
    responses: find(db, RESPONSES, [text], projectId).map(Number),
    sessions: find(db, TITLES, [text], projectId),
    summaries: db.all(sql`SELECT DISTINCT s.session_id, u.session_db_id, u.prompt_number
      FROM summaries u JOIN sessions s ON s.id = u.session_db_id
      WHERE u.id IN ${anyOf(find(db, SUMMARIES, [text], projectId))}`),
    commits: find(db, COMMITS, [text], projectId).map(Number),
  };
}

const MAX_PER_TABLE = 20;

/** Ids of items, sessions, projects and files whose rows contain any of these texts. */
export function findTextAnywhere(db: Db, texts: readonly string[]): string[] {
  return [...new Set([...ITEMS, ...OTHERS].flatMap((source) => find(db, source, texts, undefined, MAX_PER_TABLE)))];
}

function find(
  db: Db,
  source: TextColumns,
  texts: readonly string[],
  projectId: number | undefined,
  limit = -1,
): string[] {
  const { item, table, columns, scope } = source;
  const test = columns.map((column) => `instr(lower(${/^\w+$/.test(column) ? `x.${column}` : column}), lower(value))`);
  const ofProject = {
    own: sql`(x.project_id IS NULL OR x.project_id = ${projectId})`,
    session: sql`x.session_db_id IN (SELECT id FROM sessions WHERE project_id = ${projectId})`,
    none: sql`0`,
  };
  return db.column(sql`SELECT ${raw(item)} FROM ${raw(table)} x
    WHERE ${and(projectId !== undefined && ofProject[scope])}
      AND EXISTS (SELECT 1 FROM json_each(${texts}) WHERE ${raw(test.join(" OR "))}) LIMIT ${limit}`);
}
