// summaries: the summary of a turn, or of a whole session (turn 0). One row per producer; of a whole session a model may
// have written several, each up to a later turn.
import type { Producer, SessionSummary, Summary } from "../../core/memory.ts";
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { withoutClosed } from "./closed-steps.ts";
import type { TurnKey } from "./prompts.ts";

export interface SummaryRow {
  id: number;
  session_db_id: number;
  prompt_number: number;
  /** Of a whole session by a model or the agent: the last turn that it covers. Else 0. */
  last_prompt: number;
  title: string | null;
  subtitle: string | null;
  request: string;
  investigated: string;
  learned: string;
  completed: string;
  next_steps: string;
  /** JSON array, like files_edited and evidence. */
  files_read: string;
  files_edited: string;
  notes: string;
  /** JSON array of lines. */
  handover: string;
  evidence: string;
  producer: string;
  prompt_hash: string | null;
  is_current: number;
  created_at: number;
}

/** The prompt number of the summary of a whole session. */
export const WHOLE_SESSION = 0;

/** Returns whether the summary is new or differs from the stored one. */
export function upsertSummary(
  db: Db,
  turn: TurnKey,
  summary: Summary | SessionSummary,
  producer: Producer,
  at: number,
): boolean {
  const { title = null, subtitle = null, handover = [], lastPrompt = 0 } = "title" in summary ? summary : {};
  const nextSteps = withoutClosed(db, { ...turn, lastPrompt }, summary.nextSteps);
  const { changes } = db.run(sql`INSERT INTO summaries
      (session_db_id, prompt_number, last_prompt, title, subtitle, request, investigated, learned, completed, next_steps,
       files_read, files_edited, notes, handover, evidence, producer, prompt_hash, created_at)
    VALUES (${turn.sessionDbId}, ${turn.promptNumber}, ${lastPrompt}, ${title}, ${subtitle}, ${summary.request},
      ${summary.investigated}, ${summary.learned}, ${summary.completed}, ${nextSteps}, ${summary.filesRead},
      ${summary.filesEdited}, ${summary.notes}, ${handover}, ${summary.evidence}, ${producer.name},
      ${producer.promptHash}, ${at})
    ON CONFLICT (session_db_id, prompt_number, producer, last_prompt) DO UPDATE SET
      title = excluded.title, subtitle = excluded.subtitle,
      request = excluded.request, investigated = excluded.investigated, learned = excluded.learned,
      completed = excluded.completed, next_steps = excluded.next_steps, files_read = excluded.files_read,
      files_edited = excluded.files_edited, notes = excluded.notes, handover = excluded.handover,
      evidence = excluded.evidence, prompt_hash = excluded.prompt_hash, created_at = excluded.created_at
    WHERE (title, subtitle, request, investigated, learned, completed, next_steps, files_read, files_edited, notes,
        handover, evidence, prompt_hash)
      IS NOT (excluded.title, excluded.subtitle, excluded.request, excluded.investigated, excluded.learned,
        excluded.completed, excluded.next_steps, excluded.files_read, excluded.files_edited, excluded.notes,
        excluded.handover, excluded.evidence, excluded.prompt_hash)`);
  return changes > 0;
}

/** Returns whether there was one. */
export function deleteSummary(db: Db, turn: TurnKey, producer: Producer): boolean {
  const { changes } = db.run(sql`DELETE FROM summaries WHERE session_db_id = ${turn.sessionDbId}
    AND prompt_number = ${turn.promptNumber} AND producer = ${producer.name}`);
  return changes > 0;
}

/** Makes one producer's version the current one. The other versions are kept. */
export function setCurrentSummary(db: Db, turn: TurnKey, producer: string): void {
  db.run(sql`UPDATE summaries SET is_current = (producer = ${producer})
    WHERE session_db_id = ${turn.sessionDbId} AND prompt_number = ${turn.promptNumber}`);
}

/**
 * Makes the newest summary that covers the turn `lastPrompt` the session's current one: a model's or the agent's, else
 * the extractor's.
 */
export function setCurrentSessionSummary(db: Db, sessionDbId: number, lastPrompt: number): void {
  const covering = db.value<number>(sql`SELECT id FROM summaries
    WHERE session_db_id = ${sessionDbId} AND prompt_number = ${WHOLE_SESSION} AND last_prompt >= ${lastPrompt}
      AND last_prompt > 0
    ORDER BY created_at DESC, id DESC LIMIT 1`);
  db.run(sql`UPDATE summaries SET is_current = iif(${covering} IS NULL, last_prompt = 0, id = ${covering})
    WHERE session_db_id = ${sessionDbId} AND prompt_number = ${WHOLE_SESSION}`);
}

/** The summaries of the whole session by models and the agent, newest first. The extractor's is not one of them. */
export function writtenSummaries(db: Db, sessionDbId: number): SummaryRow[] {
  return db.all(sql`SELECT * FROM summaries
    WHERE session_db_id = ${sessionDbId} AND prompt_number = ${WHOLE_SESSION} AND last_prompt > 0
    ORDER BY last_prompt DESC, created_at DESC, id DESC`);
}

/** All summaries of the whole session: the current one, then the others, newest first. */
export function sessionSummaries(db: Db, sessionDbId: number): SummaryRow[] {
  return db.all(sql`SELECT * FROM summaries WHERE session_db_id = ${sessionDbId} AND prompt_number = ${WHOLE_SESSION}
    ORDER BY is_current DESC, created_at DESC, id DESC`);
}

export function setNextSteps(db: Db, id: number, nextSteps: string): void {
  db.run(sql`UPDATE summaries SET next_steps = ${nextSteps} WHERE id = ${id}`);
}

export function summariesOfTurn(db: Db, sessionDbId: number, promptNumber: number): SummaryRow[] {
  return db.all(sql`SELECT * FROM summaries
    WHERE session_db_id = ${sessionDbId} AND prompt_number = ${promptNumber} ORDER BY id`);
}

/** The current version of a turn's summary, or of the whole session's. */
export function currentSummary(db: Db, sessionDbId: number, promptNumber: number): SummaryRow | undefined {
  return summariesOfTurn(db, sessionDbId, promptNumber).find((row) => row.is_current === 1);
}

/** The current summary of each turn, without the summary of the whole session. */
export function currentSummaries(db: Db, sessionDbId: number): SummaryRow[] {
  return db.all(sql`SELECT * FROM summaries
    WHERE session_db_id = ${sessionDbId} AND prompt_number > 0 AND is_current = 1 ORDER BY prompt_number`);
}

export function summaryOf(row: SummaryRow): Summary {
  return {
    request: row.request,
    investigated: row.investigated,
    learned: row.learned,
    completed: row.completed,
    nextSteps: row.next_steps,
    filesRead: JSON.parse(row.files_read) as string[],
    filesEdited: JSON.parse(row.files_edited) as string[],
    notes: row.notes,
    evidence: JSON.parse(row.evidence) as string[],
  };
}
