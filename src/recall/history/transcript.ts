// A session as it reads: turn by turn what was asked, said and done, subagents' work under the turn they belong to.
import { AppError } from "../../core/error.ts";
import type { Summary } from "../../core/memory.ts";
import { type CommitRow, commitsOf } from "../../store/tables/commits.ts";
import type { Db } from "../../store/db/driver.ts";
import { touchesOf, type TouchRow } from "../../store/tables/file-touches.ts";
import { findItem } from "../../store/reads/items.ts";
import { type MessageRow, messagesOf } from "../../store/tables/messages.ts";
import type { TurnState } from "../../store/tables/session-status.ts";
import { promptsOf } from "../../store/tables/prompts.ts";
import { type SessionEntry, sessionsByIds, subagentsOf } from "../../store/reads/session-list.ts";
import { currentSummaries, currentSummary, summaryOf, WHOLE_SESSION } from "../../store/tables/summaries.ts";
import { type ToolUseRow, toolUsesOf } from "../../store/tables/tool-uses.ts";
import { toolLine } from "./tool-line.ts";

export interface MessageItem {
  kind: "message";
  /** Absent where only the turn's response is known. */
  id?: string;
  role: "assistant" | "system" | "summary";
  text: string;
  thinking?: string;
  at: number;
}

export interface ToolItem {
  kind: "tool";
  id: string;
  name: string;
  subject: string;
  outcome: string;
  isError: boolean;
  exitCode?: number;
  durationMs?: number;
  files: TouchRow[];
  input: string;
  output: string;
  at: number;
}

export interface SubagentItem {
  kind: "subagent";
  session: SessionEntry;
  items: Item[];
  at: number;
}

export type Item = MessageItem | ToolItem | SubagentItem;

export interface Turn {
  number: number;
  prompt?: { id: string; text: string };
  at: number;
  endedAt?: number;
  state?: TurnState;
  items: Item[];
  commits: CommitRow[];
  summary?: Summary;
}

export interface Transcript {
  session: SessionEntry;
  /** What the session came to, where memory was derived of it. */
  summary?: Summary;
  turns: Turn[];
}

/** Items shown on each side of the one that was asked for. */
const NEIGHBOURS = 2;

export function readTranscript(db: Db, session: SessionEntry): Transcript {
  const turns = new Map<number, Turn>();
  const commits = Map.groupBy(commitsOf(db, session.id), (commit) => commit.prompt_number);
  const turnOf = (number: number, at: number): Turn => {
    const known = turns.get(number);
    if (known !== undefined) return known;
    const turn: Turn = { number, at, items: [], commits: commits.get(number) ?? [] };
    turns.set(number, turn);
    return turn;
  };
  const prompts = promptsOf(db, session.id);
  for (const prompt of prompts) {
    const turn = turnOf(prompt.prompt_number, prompt.created_at);
    turn.prompt = { id: `p${prompt.id}`, text: prompt.text };
    if (prompt.ended_at !== null) turn.endedAt = prompt.ended_at;
    turn.state = prompt.state;
  }
  for (const { number, item } of itemsOf(db, session)) turnOf(number, item.at).items.push(item);
  for (const subagent of subagentsOf(db, session.id)) {
    const inside = itemsOf(db, subagent);
    const at = inside[0]?.item.at ?? subagent.started_at;
    const number = inside[0]?.number ?? turnAt(prompts, at);
    turnOf(number, at).items.push({ kind: "subagent", session: subagent, items: inside.map(({ item }) => item), at });
  }
  for (const turn of turns.values()) turn.items.sort((a, b) => a.at - b.at);
  for (const { prompt_number, response, ended_at, created_at } of prompts) {
    const turn = turnOf(prompt_number, created_at);
    if (response && !isSaid(turn, response)) {
      turn.items.push({ kind: "message", role: "assistant", text: response, at: ended_at ?? created_at });
    }
  }
  for (const row of currentSummaries(db, session.id)) {
    const turn = turns.get(row.prompt_number);
    if (turn !== undefined) turn.summary = summaryOf(row);
  }
  const whole = currentSummary(db, session.id, WHOLE_SESSION);
  return {
    session,
    ...(whole !== undefined && { summary: summaryOf(whole) }),
    turns: [...turns.values()].sort((a, b) => a.number - b.number),
  };
}

export function onlyTurn(transcript: Transcript, number: number): Transcript {
  const turns = transcript.turns.filter((turn) => turn.number === number);
  if (turns.length > 0) return { ...transcript, turns };
  const last = transcript.turns.at(-1)?.number ?? 0;
  throw new AppError("nothing_found", `The session has no turn ${number}.`, { hint: `Its last turn is ${last}.` });
}

/** The item and its neighbours; an item of a subagent is shown in the subagent's own session. */
export function readAround(db: Db, session: SessionEntry, itemId: string): Transcript {
  const place = findItem(db, itemId);
  const own = place === undefined ? undefined : sessionsByIds(db, [place.session_db_id])[0];
  if (own === undefined || (own.id !== session.id && own.parent_session_db_id !== session.id)) {
    throw new AppError("nothing_found", `There is no item ${itemId} in that session.`, {
      hint: "Items are named like p12, m34 or t56; `c-mem show` prints their names.",
    });
  }
  const transcript = readTranscript(db, own);
  const flat = transcript.turns.flatMap((turn) => [...(turn.prompt ? [turn.prompt] : []), ...turn.items]);
  const index = flat.findIndex((item) => "id" in item && item.id === itemId);
  const near = new Set<object>(flat.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS + 1));
  const turns = transcript.turns.map(({ prompt, ...turn }) => ({
    ...turn,
    ...(prompt !== undefined && near.has(prompt) && { prompt }),
    items: turn.items.filter((item) => near.has(item)),
  }));
  return { session: own, turns: turns.filter((turn) => turn.items.length > 0 || "prompt" in turn) };
}

function itemsOf(db: Db, session: SessionEntry): { number: number; item: MessageItem | ToolItem }[] {
  const touches = Map.groupBy(touchesOf(db, session.id), (touch) => touch.tool_use_db_id);
  const messages = messagesOf(db, session.id)
    .filter((row) => row.text !== "" || row.thinking)
    .map((row) => ({ number: row.prompt_number, item: messageItem(row) }));
  const uses = toolUsesOf(db, session.id).map((row) => ({
    number: row.prompt_number,
    item: toolItem(row, touches.get(row.id) ?? [], session.cwd),
  }));
  // A message and the tools it calls bear the same time: the words come first.
  return [...messages, ...uses].sort((a, b) => a.item.at - b.item.at);
}

export function messageItem(row: MessageRow): MessageItem {
  const { id, role, text, thinking, created_at: at } = row;
  return { kind: "message", id: `m${id}`, role, text, ...(thinking && { thinking }), at };
}

export function toolItem(row: ToolUseRow, files: TouchRow[], cwd: string): ToolItem {
  return {
    kind: "tool",
    id: `t${row.id}`,
    name: row.name,
    ...toolLine(row, files, cwd),
    isError: row.is_error === 1,
    ...(row.exit_code !== null && { exitCode: row.exit_code }),
    ...(row.duration_ms !== null && { durationMs: row.duration_ms }),
    files,
    input: row.input,
    output: row.output ?? "",
    at: row.created_at,
  };
}

/** The response of a hook is the last message of a transcript: one of the two is enough. */
function isSaid(turn: Turn, response: string): boolean {
  const opening = flatten(response).slice(0, 200);
  return turn.items.some(
    (item) => item.kind === "message" && item.role === "assistant" && flatten(item.text).includes(opening),
  );
}

function flatten(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function turnAt(prompts: readonly { prompt_number: number; created_at: number }[], at: number): number {
  return prompts.findLast((prompt) => prompt.created_at <= at)?.prompt_number ?? 0;
}
