// Reads what sessions did that a commit may carry: commits they made, files they changed, commits they named.
import type { Db } from "../db/driver.ts";
import { and, anyOf, sql } from "../db/sql.ts";
import { abbreviations } from "../tables/commits.ts";
import { outputOf } from "../tables/tool-uses.ts";

export interface TurnOfSession {
  /** The conversation, also if a subagent did it. */
  session_db_id: number;
  prompt_number: number;
  at: number;
}

/** Turns in which git printed this commit. CROSS JOIN keeps the order: by hash first, not each session's commits. */
export function turnsWithCommit(db: Db, projectId: number, sha: string): TurnOfSession[] {
  return db.all(sql`SELECT c.session_db_id, c.prompt_number, c.created_at AS at
    FROM commits c CROSS JOIN sessions s ON s.id = c.session_db_id
    WHERE s.project_id = ${projectId} AND c.basis = 'output' AND c.sha IN ${anyOf(abbreviations(sha))} ORDER BY c.id`);
}

/** Turns in which a commit with this subject was made, within a time. */
export function turnsWithSubject(
  db: Db,
  projectId: number,
  { subject, from, to }: { subject: string; from: number; to: number },
): (TurnOfSession & { sha: string })[] {
  return db.all(sql`SELECT c.session_db_id, c.prompt_number, c.sha, c.created_at AS at
    FROM commits c JOIN sessions s ON s.id = c.session_db_id
    WHERE s.project_id = ${projectId} AND c.basis = 'output' AND c.subject = ${subject}
      AND c.created_at BETWEEN ${from} AND ${to} ORDER BY c.id`);
}

/** The last turns of the sessions with these ids that began before a time. */
export function turnsOfSessions(
  db: Db,
  projectId: number,
  sessionIds: readonly string[],
  before: number,
): TurnOfSession[] {
  return db.all(sql`SELECT s.id AS session_db_id, max(p.prompt_number) AS prompt_number, max(p.created_at) AS at
    FROM sessions s JOIN prompts p ON p.session_db_id = s.id
    WHERE s.project_id = ${projectId} AND s.session_id IN ${anyOf(sessionIds)} AND p.created_at <= ${before} GROUP BY s.id`);
}

export interface FileEdit extends TurnOfSession {
  path: string;
  tool_use_db_id: number;
  /** Of a shell command: where its session began. */
  cwd?: string;
}

/** Changes of one file are read from the last one back. */
const MAX_EDITS_PER_FILE = 40;

/** The last edits of a file within a time, newest first. */
export function editsOfFile(
  db: Db,
  projectId: number,
  { path, from, to }: { path: string; from: number; to: number },
): FileEdit[] {
  return db.all(sql`SELECT f.path, f.tool_use_db_id, coalesce(s.parent_session_db_id, s.id) AS session_db_id,
      t.prompt_number, f.created_at AS at
    FROM file_touches f CROSS JOIN sessions s ON s.id = f.session_db_id CROSS JOIN tool_uses t ON t.id = f.tool_use_db_id
    WHERE f.path = ${path} AND f.kind <> 'read' AND f.created_at BETWEEN ${from} AND ${to} AND s.project_id = ${projectId}
    ORDER BY f.created_at DESC, f.id DESC LIMIT ${MAX_EDITS_PER_FILE}`);
}

/** Texts in which a session that was working at the time may have named a commit: messages and subagents' reports. */
export function textsNaming(
  db: Db,
  projectId: number,
  { text, from, to }: { text: string; from: number; to: number },
): TurnOfSession[] {
  const working = db.column<number>(sql`SELECT id FROM sessions
    WHERE project_id = ${projectId} AND started_at <= ${from} AND last_at >= ${from}`);
  if (working.length === 0) return [];
  const within = and(sql`x.session_db_id IN ${anyOf(working)}`, sql`x.created_at BETWEEN ${from} AND ${to}`);
  return db.all(sql`SELECT coalesce(s.parent_session_db_id, s.id) AS session_db_id, n.prompt_number, n.at FROM (
      SELECT x.session_db_id, x.prompt_number, x.created_at AS at FROM messages x WHERE ${within} AND instr(x.text, ${text}) > 0
      UNION ALL
      SELECT x.session_db_id, x.prompt_number, x.created_at FROM tool_uses x
      WHERE ${within} AND x.name IN ('Task', 'Agent', 'TaskOutput') AND instr(coalesce(${outputOf("x")}, ''), ${text}) > 0
    ) n JOIN sessions s ON s.id = n.session_db_id ORDER BY n.at`);
}

/** The sessions that opened this pull request or issue before a time. Their turn: the last one before it. */
export function turnsWithPullRequest(
  db: Db,
  projectId: number,
  { number, before }: { number: number; before: number },
): TurnOfSession[] {
  return db.all(sql`SELECT s.id AS session_db_id, l.created_at AS at, coalesce((SELECT max(p.prompt_number) FROM prompts p
        WHERE p.session_db_id = s.id AND p.created_at <= l.created_at), 0) AS prompt_number
    FROM sessions s JOIN links l ON l.source_type = 'session' AND l.source_id = s.session_id
    WHERE s.project_id = ${projectId} AND l.target_type = 'issue' AND l.relationship = 'references'
      AND l.target_id LIKE ${`%#${number}`} AND l.created_at <= ${before} ORDER BY l.created_at`);
}
