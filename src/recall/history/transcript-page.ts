// A few items of a session, however long it is: what is where is read without the texts, the texts only of the page.
import type { Db } from "../../store/db/driver.ts";
import { type SessionEntry, sessionsByIds } from "../../store/reads/session-list.ts";
import {
  commitTexts,
  type EntryRow,
  messageTexts,
  observationAnchors,
  promptTexts,
  toolTexts,
  touchesOfUses,
  transcriptEntries,
} from "../../store/reads/transcript-rows.ts";
import { type MessageItem, messageItem, type ToolItem, toolItem } from "./transcript.ts";

export type PageItem =
  | { kind: "prompt"; id: string; text: string; at: number }
  | MessageItem
  | ToolItem
  /** Its own items are read as a session of their own. */
  | { kind: "subagent"; session: SessionEntry; at: number }
  | { kind: "commit"; sha: string; subject: string; at: number };

export interface PageEntry {
  /** Its place in the whole session. */
  index: number;
  turn: number;
  item: PageItem;
  /** What was learned from it: ids of observations. */
  observations: string[];
}

export interface TranscriptPage {
  total: number;
  from: number;
  entries: PageEntry[];
}

export interface PageRequest {
  from: number;
  limit: number;
  /** The page that has this item (p12, m34, t56) in its middle; what is not there begins at `from`. */
  around?: string | undefined;
}

export function readTranscriptPage(db: Db, session: SessionEntry, request: PageRequest): TranscriptPage {
  const all = transcriptEntries(db, session.id);
  const from = startOf(all, request);
  const rows = all.slice(from, from + request.limit);
  const items = readItems(db, session, rows);
  const anchors = observationAnchors(db, session.id);
  const entries = rows.flatMap((row, place): PageEntry[] => {
    const item = items.get(keyOf(row));
    if (item === undefined) return [];
    const observations = "id" in item && item.id !== undefined ? (anchors.get(item.id) ?? []) : [];
    return [{ index: from + place, turn: row.prompt_number, item, observations }];
  });
  return { total: all.length, from, entries };
}

function startOf(all: readonly EntryRow[], { from, limit, around }: PageRequest): number {
  const index = around === undefined ? -1 : all.findIndex((row) => itemIdOf(row) === around);
  return index === -1 ? from : Math.max(0, index - Math.floor(limit / 2));
}

const LETTERS: Partial<Record<EntryRow["kind"], string>> = { prompt: "p", message: "m", tool: "t" };

/** As people pass it on; undefined for what has none. */
export function itemIdOf({ kind, id }: EntryRow): string | undefined {
  return LETTERS[kind] === undefined ? undefined : `${LETTERS[kind]}${id}`;
}

export function keyOf({ kind, id }: { kind: EntryRow["kind"]; id: number }): string {
  return `${kind}${id}`;
}

/** By kind and id: `keyOf`. */
export function readItems(
  db: Db,
  session: SessionEntry,
  rows: readonly Pick<EntryRow, "kind" | "id" | "at">[],
): Map<string, PageItem> {
  const ids = (...kinds: EntryRow["kind"][]): number[] =>
    rows.filter((row) => kinds.includes(row.kind)).map((row) => row.id);
  const items = new Map<string, PageItem>();
  for (const row of promptTexts(db, ids("prompt", "response"))) {
    const { id, text, response, created_at: at, ended_at: endedAt } = row;
    items.set(keyOf({ kind: "prompt", id }), { kind: "prompt", id: `p${id}`, text, at });
    const said: MessageItem = { kind: "message", role: "assistant", text: response ?? "", at: endedAt ?? at };
    items.set(keyOf({ kind: "response", id }), said);
  }
  for (const row of messageTexts(db, ids("message")))
    items.set(keyOf({ kind: "message", id: row.id }), messageItem(row));
  const touches = Map.groupBy(touchesOfUses(db, ids("tool")), (touch) => touch.tool_use_db_id);
  for (const row of toolTexts(db, ids("tool")))
    items.set(keyOf({ kind: "tool", id: row.id }), toolItem(row, touches.get(row.id) ?? [], session.cwd));
  for (const row of sessionsByIds(db, ids("subagent")))
    items.set(keyOf({ kind: "subagent", id: row.id }), { kind: "subagent", session: row, at: row.started_at });
  const commitsAt = new Map(rows.filter((row) => row.kind === "commit").map((row) => [row.id, row.at]));
  for (const { id, sha, subject } of commitTexts(db, ids("commit")))
    items.set(keyOf({ kind: "commit", id }), { kind: "commit", sha, subject, at: commitsAt.get(id) ?? 0 });
  return items;
}
