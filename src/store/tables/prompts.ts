// prompts: what was asked, turn by turn, and the words each turn ended with.
import type { Db } from "../db/driver.ts";
import { nextId } from "../db/next-id.ts";
import { renumberTurns } from "./renumber.ts";
import { endedAt, turnState, type TurnState } from "./session-status.ts";
import { markTurnEnded } from "./stale-turns.ts";

export interface PromptSeed {
  sessionDbId: number;
  promptId?: string | undefined;
  text: string;
  at: number;
}

/** Two lanes report one prompt within a moment of each other; the same words later are another prompt. */
const SAME_MOMENT_MS = 10_000;

/** Adds a prompt at its place among the session's turns. The same prompt reported twice stays one row. */
export function insertPrompt(db: Db, seed: PromptSeed): InsertedPrompt {
  const known = findSamePrompt(db, seed);
  if (known !== undefined) return { number: known, newId: undefined, ownsId: false };
  const promptId = ownPromptId(db, seed);
  const number = nextPromptNumber(db, seed.sessionDbId);
  const { lastId } = db.run(
    `INSERT INTO prompts (id, session_db_id, prompt_number, prompt_id, text, created_at)
     VALUES (${nextId("prompts")}, ?, ?, ?, ?, ?)`,
    seed.sessionDbId,
    number,
    promptId,
    seed.text,
    seed.at,
  );
  const isLate = db.get("SELECT 1 FROM prompts WHERE session_db_id = ? AND created_at > ?", seed.sessionDbId, seed.at);
  return {
    number: isLate === undefined ? number : renumberTurns(db, seed.sessionDbId, lastId),
    newId: lastId,
    ownsId: promptId !== null && promptId === seed.promptId,
  };
}

export interface InsertedPrompt {
  number: number;
  /** Of the row, where there was none; its letters are still to be indexed. */
  newId: number | undefined;
  /** What names this id belongs to this prompt, and not to an earlier one with the same id. */
  ownsId: boolean;
}

export interface NewPrompt {
  id: number;
  text: string;
}

/** For typos: in the transaction that inserts the prompt. */
export function indexLetters(db: Db, { id, text }: NewPrompt): void {
  db.run("INSERT INTO prompts_trigram (rowid, text) VALUES (?, ?)", id, text);
}

interface Candidate {
  id: number;
  prompt_number: number;
  text: string;
  created_at: number;
}

/**
 * By the agent's own id; else the same words at the same moment; else, where the agent gives no ids at all, the same
 * words again before anything else happened in the turn.
 */
function findSamePrompt(db: Db, seed: PromptSeed): number | undefined {
  const { sessionDbId, promptId, text, at } = seed;
  const byId =
    promptId === undefined
      ? undefined
      : db.get<Candidate>("SELECT * FROM prompts WHERE session_db_id = ? AND prompt_id = ?", sessionDbId, promptId);
  // A command, and what was typed while the agent was at work, carries the id of the prompt before it.
  if (byId !== undefined && byId.text === text) return byId.prompt_number;
  const alike = db.all<Candidate & { prompt_id: string | null }>(
    "SELECT * FROM prompts WHERE session_db_id = ? AND created_at BETWEEN ? AND ? AND text = ?",
    sessionDbId,
    at - SAME_MOMENT_MS,
    at + SAME_MOMENT_MS,
    text,
  );
  // One lane gives an id and the other none, or the id of the turn it was typed in. Two prompts of the same lane have
  // two ids of their own.
  const same = alike.find(({ prompt_id: id }) =>
    promptId === undefined ? id !== null : id === null || id.includes("@") || byId !== undefined,
  );
  if (same === undefined) return promptId === undefined ? findRepeated(db, seed) : undefined;
  if (promptId !== undefined && byId === undefined) {
    db.run("UPDATE prompts SET prompt_id = ? WHERE id = ?", promptId, same.id);
  }
  return same.prompt_number;
}

function findRepeated(db: Db, { sessionDbId, text }: PromptSeed): number | undefined {
  return db.get<{ prompt_number: number }>(
    `SELECT p.prompt_number FROM prompts p JOIN sessions s ON s.id = p.session_db_id
     WHERE p.session_db_id = ? AND p.prompt_number = s.prompt_count AND p.text = ? AND p.ended_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM tool_uses t WHERE t.session_db_id = p.session_db_id AND t.prompt_number = p.prompt_number)`,
    sessionDbId,
    text,
  )?.prompt_number;
}

/** Of two prompts with the same id the first has it; the other's gets its time with it, the same on every reading. */
function ownPromptId(db: Db, { sessionDbId, promptId, at }: PromptSeed): string | null {
  if (promptId === undefined) return null;
  const owner = db.get<Candidate>(
    "SELECT * FROM prompts WHERE session_db_id = ? AND prompt_id = ?",
    sessionDbId,
    promptId,
  );
  if (owner === undefined) return promptId;
  if (owner.created_at <= at) return timedId(db, sessionDbId, promptId, at);
  const id = timedId(db, sessionDbId, promptId, owner.created_at);
  db.run("UPDATE prompts SET prompt_id = ? WHERE id = ?", id, owner.id);
  return promptId;
}

/** Two of the same moment are told apart by their number. */
function timedId(db: Db, sessionDbId: number, promptId: string, at: number): string {
  const id = `${promptId}@${at}`;
  let free = id;
  for (let number = 2; findPromptNumber(db, sessionDbId, free) !== undefined; number++) free = `${id}.${number}`;
  return free;
}

function nextPromptNumber(db: Db, sessionDbId: number): number {
  const row = db.get<{ prompt_count: number }>(
    "UPDATE sessions SET prompt_count = prompt_count + 1 WHERE id = ? RETURNING prompt_count",
    sessionDbId,
  );
  return (row as { prompt_count: number }).prompt_count;
}

export function findPromptNumber(db: Db, sessionDbId: number, promptId: string): number | undefined {
  return db.get<{ prompt_number: number }>(
    "SELECT prompt_number FROM prompts WHERE session_db_id = ? AND prompt_id = ?",
    sessionDbId,
    promptId,
  )?.prompt_number;
}

/** The turn now running: 0 before the first prompt. */
export function currentPromptNumber(db: Db, sessionDbId: number): number {
  return (
    db.get<{ prompt_count: number }>("SELECT prompt_count FROM sessions WHERE id = ?", sessionDbId)?.prompt_count ?? 0
  );
}

export interface TurnEnd {
  sessionDbId: number;
  number: number;
  response: string | undefined;
  /** The transcript shows that the user or a failure stopped the turn. */
  isInterrupted: boolean;
  at: number;
}

/**
 * A turn can stop more than once (background work wakes it again): the last words win. Words from before the prompt, said
 * before any was there, are no answer to it.
 */
export function endPrompt(db: Db, turn: TurnEnd): void {
  const row = findEnded(db, turn);
  if (row === undefined) return;
  const isNewest = row.response === null || turn.at >= (row.ended_at ?? 0);
  db.run(
    `UPDATE prompts SET ended_at = max(coalesce(ended_at, 0), ?2), response = ?3, is_interrupted = max(is_interrupted, ?4)
     WHERE id = ?1`,
    row.id,
    turn.at,
    isNewest ? (turn.response ?? row.response) : row.response,
    turn.isInterrupted ? 1 : 0,
  );
  // Prompts that were typed while the turn ran were handled in it.
  const typedMeanwhile = db.all<{ prompt_number: number }>(
    `UPDATE prompts SET ended_at = ?3, is_interrupted = max(is_interrupted, ?4)
     WHERE session_db_id = ?1 AND prompt_number > ?2 AND created_at < ?3 AND ended_at IS NULL RETURNING prompt_number`,
    turn.sessionDbId,
    turn.number,
    turn.at,
    turn.isInterrupted ? 1 : 0,
  );
  for (const { prompt_number } of typedMeanwhile) markTurnEnded(db, turn.sessionDbId, prompt_number);
}

/** The newest words of a turn that may go on: if they were taken for its end before, they are not. */
export function setResponse(db: Db, turn: Omit<TurnEnd, "isInterrupted">): void {
  const row = findEnded(db, turn);
  if (row === undefined || (row.response !== null && turn.at < (row.ended_at ?? 0))) return;
  db.run(
    `UPDATE prompts SET response = ?2, ended_at = nullif(ended_at, ?3)
     WHERE id = ?1 AND (response IS NOT ?2 OR ended_at = ?3)`,
    row.id,
    turn.response ?? row.response,
    turn.at,
  );
}

function findEnded(
  db: Db,
  { sessionDbId, number, at }: Pick<TurnEnd, "sessionDbId" | "number" | "at">,
): { id: number; response: string | null; ended_at: number | null } | undefined {
  return db.get(
    `SELECT id, response, ended_at FROM prompts WHERE session_db_id = ?1 AND prompt_number = ?2 AND created_at <= ?3 + ?4`,
    sessionDbId,
    number,
    at,
    SAME_MOMENT_MS,
  );
}

/** An async hook may report a tool use a moment after the turn's end. */
const LATE_MS = 5_000;

/** Work after the last turn's end: background work or a notification woke the agent. Returns whether the turn is open now. */
export function reopenTurn(db: Db, sessionDbId: number, promptNumber: number, at: number): boolean {
  const turn = db.get<{ id: number; ended_at: number | null }>(
    `SELECT p.id, p.ended_at FROM prompts p JOIN sessions s ON s.id = p.session_db_id AND s.prompt_count = p.prompt_number
     WHERE p.session_db_id = ? AND p.prompt_number = ? AND s.end_reason IS NULL`,
    sessionDbId,
    promptNumber,
  );
  if (turn === undefined || turn.ended_at === null) return turn !== undefined;
  if (turn.ended_at >= at - LATE_MS) return false;
  db.run("UPDATE prompts SET ended_at = NULL, is_interrupted = 0 WHERE id = ?", turn.id);
  return true;
}

/** The agent is about to compact its context: the running turn gets a summary now, and another when it ends. */
export function noteCheckpoint(db: Db, sessionDbId: number, promptNumber: number, at: number): void {
  db.run(
    "UPDATE prompts SET checkpoint_at = max(coalesce(checkpoint_at, 0), ?3) WHERE session_db_id = ?1 AND prompt_number = ?2",
    sessionDbId,
    promptNumber,
    at,
  );
}

export interface PromptRow {
  state: TurnState;
  prompt_number: number;
  text: string;
  response: string | null;
  created_at: number;
  ended_at: number | null;
}

const TURN = `p.prompt_number, p.text, p.response, p.created_at, ${endedAt()} AS ended_at, ${turnState()} AS state`;

export function lastPrompts(db: Db, sessionDbId: number, limit: number): PromptRow[] {
  return db.all(
    `SELECT ${TURN} FROM prompts p JOIN sessions s ON s.id = p.session_db_id
     WHERE p.session_db_id = ? ORDER BY p.prompt_number DESC LIMIT ?`,
    sessionDbId,
    limit,
  );
}

export interface PromptEntry extends PromptRow {
  id: number;
}

export function promptsOf(db: Db, sessionDbId: number): PromptEntry[] {
  return db.all(
    `SELECT p.id, ${TURN} FROM prompts p JOIN sessions s ON s.id = p.session_db_id
     WHERE p.session_db_id = ? ORDER BY p.prompt_number`,
    sessionDbId,
  );
}

/** The words a turn ended with: the response, else the last message there is of it. */
export function closingWords(db: Db, sessionDbId: number, promptNumber: number): string | undefined {
  const row = db.get<{ text: string | null }>(
    `SELECT coalesce(
       (SELECT response FROM prompts WHERE session_db_id = ?1 AND prompt_number = ?2),
       (SELECT text FROM messages WHERE session_db_id = ?1 AND prompt_number = ?2 AND role = 'assistant' AND text <> ''
        ORDER BY created_at DESC, id DESC LIMIT 1)) AS text`,
    sessionDbId,
    promptNumber,
  );
  return row?.text ?? undefined;
}

/** Where a prompt stands now: late ones shift the numbers. */
export function findPromptPlace(db: Db, promptDbId: number): { sessionDbId: number; promptNumber: number } | undefined {
  return db.get(
    "SELECT session_db_id AS sessionDbId, prompt_number AS promptNumber FROM prompts WHERE id = ?",
    promptDbId,
  );
}
