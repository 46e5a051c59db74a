// Reads a session turn by turn: prompt, messages, tool uses, and subagents in the turn that started them.
import { AppError } from "../../core/error.ts";
import type { Summary } from "../../core/memory.ts";
import type { Db } from "../../store/db/driver.ts";
import { findItem } from "../../store/reads/items.ts";
import { type SessionEntry, sessionsByIds } from "../../store/reads/session-list.ts";
import { type CommitRow, commitsOf } from "../../store/tables/commits.ts";
import { promptsOf } from "../../store/tables/prompts.ts";
import type { TurnState } from "../../store/tables/session-status.ts";
import { currentSummaries, sessionSummaries, type SummaryRow, summaryOf } from "../../store/tables/summaries.ts";
import { type MessageItem, readAllItems, type SessionItem, type ToolItem } from "./session-items.ts";

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
  /** Missing until the session's memory is derived. */
  summary?: Summary;
  /** All versions of the summary, the current one first. */
  summaries: SummaryRow[];
  turns: Turn[];
}

export function readTranscript(db: Db, session: SessionEntry): Transcript {
  const commits = Map.groupBy(commitsOf(db, session.id), (commit) => commit.prompt_number);
  const turns = new Map<number, Turn>();
  const turnOf = (number: number, at: number): Turn => {
    const turn = turns.get(number) ?? { number, at, items: [], commits: commits.get(number) ?? [] };
    turns.set(number, turn);
    return turn;
  };
  for (const { id, prompt_number, text, created_at, ended_at, state } of promptsOf(db, session.id)) {
    const ended = ended_at === null ? {} : { endedAt: ended_at };
    Object.assign(turnOf(prompt_number, created_at), { prompt: { id: `p${id}`, text }, state, ...ended });
  }
  const responses: { turn: number; item: MessageItem }[] = [];
  for (const { turn, item } of readAllItems(db, session)) {
    if (isMessageOrTool(item)) turnOf(turn, item.at).items.push(item);
    else if (item.kind === "message") responses.push({ turn, item });
    else if (item.kind === "subagent") {
      const items = readAllItems(db, item.session)
        .map((inner) => inner.item)
        .filter(isMessageOrTool);
      const at = items[0]?.at ?? item.at;
      turnOf(turn, at).items.push({ ...item, items, at });
    }
  }
  for (const turn of turns.values()) turn.items.sort((a, b) => a.at - b.at);
  for (const { turn, item } of responses)
    if (!hasMessage(turnOf(turn, item.at), item.text)) turnOf(turn, item.at).items.push(item);
  for (const row of currentSummaries(db, session.id)) {
    const turn = turns.get(row.prompt_number);
    if (turn !== undefined) turn.summary = summaryOf(row);
  }
  const summaries = sessionSummaries(db, session.id);
  const whole = summaries.find((row) => row.is_current === 1);
  return {
    session,
    summaries,
    ...(whole !== undefined && { summary: summaryOf(whole) }),
    turns: [...turns.values()].sort((a, b) => a.number - b.number),
  };
}

/** False for a response, which has no id. */
function isMessageOrTool(item: SessionItem): item is ToolItem | (MessageItem & { id: string }) {
  return item.kind === "tool" || (item.kind === "message" && item.id !== undefined);
}

/** True if the turn's response is also one of its messages, perhaps with different white space. */
function hasMessage(turn: Turn, response: string): boolean {
  const flatten = (text: string): string => text.replace(/\s+/g, " ").trim();
  const opening = flatten(response).slice(0, 200);
  return turn.items.some(
    (item) => item.kind === "message" && item.role === "assistant" && flatten(item.text).includes(opening),
  );
}

export function onlyTurn(transcript: Transcript, number: number): Transcript {
  const turns = transcript.turns.filter((turn) => turn.number === number);
  if (turns.length > 0) return { ...transcript, turns };
  const last = transcript.turns.at(-1)?.number ?? 0;
  throw new AppError("nothing_found", `The session has no turn ${number}.`, { hint: `Its last turn is ${last}.` });
}

/** Items shown before and after the requested one. */
const NEIGHBOURS = 2;

/** Reads an item and its neighbours. An item of a subagent is read from the subagent's session. */
export function readAround(db: Db, session: SessionEntry, itemId: string): Transcript {
  const found = findItem(db, itemId);
  const own = found === undefined ? undefined : sessionsByIds(db, [found.session_db_id])[0];
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
  return { session: own, summaries: [], turns: turns.filter((turn) => turn.items.length > 0 || "prompt" in turn) };
}
