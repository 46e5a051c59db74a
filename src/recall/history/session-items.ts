// Reads the items of a session: the outline (all items, without texts) and pages of items with texts.
import type { Db } from "../../store/db/driver.ts";
import { type SessionEntry, sessionsByIds } from "../../store/reads/session-list.ts";
import {
  type EntryRow,
  itemsContaining,
  messageTexts,
  observationsByItem,
  rowsInSession,
  touchesOfUses,
  transcriptEntries,
} from "../../store/reads/transcript-rows.ts";
import { commitsByIds } from "../../store/tables/commits.ts";
import { promptsByIds } from "../../store/tables/prompts.ts";
import type { TouchRow } from "../../store/tables/file-touches.ts";
import { toolUsesByIds } from "../../store/tables/tool-uses.ts";
import { toolLine } from "./tool-line.ts";

export interface MessageItem {
  kind: "message";
  /** Missing for a turn's response, which is stored with the prompt. */
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

export type SessionItem =
  | { kind: "prompt"; id: string; text: string; at: number }
  | MessageItem
  | ToolItem
  /** Without the subagent's items: a subagent is a separate session. */
  | { kind: "subagent"; session: SessionEntry; at: number }
  | { kind: "commit"; sha: string; subject: string; at: number };

const LETTERS = { prompt: "p", message: "m", response: "r", tool: "t", subagent: "s", commit: "c" } as const;
const KINDS = new Map(Object.entries(LETTERS).map(([kind, letter]) => [letter, kind as EntryRow["kind"]]));

/** "p12", "m34", "t56"; "r12" is the response to p12, "s12" a subagent, "c12" a commit. */
function itemId({ kind, id }: Pick<EntryRow, "kind" | "id">): string {
  return `${LETTERS[kind]}${id}`;
}

export interface OutlineEntry extends EntryRow {
  item: string;
  /** The item id ("s12") of its subagent. */
  agent?: string;
}

/** All items of the session without texts, in reading order. A subagent's items follow the subagent. */
export function outlineSession(db: Db, session: SessionEntry): OutlineEntry[] {
  return transcriptEntries(db, session.id).flatMap((row) => {
    const entry = { ...row, item: itemId(row) };
    if (row.kind !== "subagent") return [entry];
    const { prompt_number } = row;
    const inner = transcriptEntries(db, row.id);
    return [entry, ...inner.map((each) => ({ ...each, prompt_number, item: itemId(each), agent: entry.item }))];
  });
}

/** Ids of the items that contain the text, in reading order. */
export function findInSession(db: Db, session: SessionEntry, text: string): string[] {
  const found = new Set(itemsContaining(db, session.id, text));
  return outlineSession(db, session)
    .map(({ item }) => item)
    .filter((item) => found.has(item));
}

/** The items of the session and its subagents with these ids. Skips ids of other sessions. */
export function readItemsById(db: Db, session: SessionEntry, ids: readonly string[]): Map<string, SessionItem> {
  const wanted = ids.flatMap((text) => {
    const [, letter = "", id] = /^([pmrtsc])(\d{1,15})$/.exec(text) ?? [];
    const kind = KINDS.get(letter as "p");
    return kind === undefined ? [] : [{ kind, id: Number(id), at: 0 }];
  });
  const items = readItems(db, session, rowsInSession(db, session.id, wanted));
  return new Map(
    wanted.map(itemId).flatMap((id) => {
      const item = items.get(id);
      return item === undefined ? [] : [[id, item]];
    }),
  );
}

export type PageEntry = ReturnType<typeof readTranscriptPage>["entries"][number];

/** `around`: centres the page on this item ("p12", "m34", "t56") if it is in the session. */
export function readTranscriptPage(
  db: Db,
  session: SessionEntry,
  { limit, around, ...request }: { from: number; limit: number; around?: string | undefined },
) {
  const all = transcriptEntries(db, session.id);
  const centre = all.findIndex((row) => /^[pmt]/.test(itemId(row)) && itemId(row) === around);
  const from = centre === -1 ? request.from : Math.max(0, centre - Math.floor(limit / 2));
  const rows = all.slice(from, from + limit);
  const items = readItems(db, session, rows);
  const anchors = observationsByItem(db, session.id);
  const entries = rows.flatMap((row, offset) => {
    const item = items.get(itemId(row));
    if (item === undefined) return [];
    // `index` counts from the start of the session; `observations` are the ids of those derived from the item.
    const [index, observations] = [from + offset, anchors.get(itemId(row)) ?? []];
    return [{ index, turn: row.prompt_number, item, observations }];
  });
  return { total: all.length, from, entries };
}

export function readAllItems(db: Db, session: SessionEntry): { turn: number; item: SessionItem }[] {
  const rows = transcriptEntries(db, session.id);
  const items = readItems(db, session, rows);
  return rows.flatMap((row) => {
    const item = items.get(itemId(row));
    return item === undefined ? [] : [{ turn: row.prompt_number, item }];
  });
}

/** The items of these rows by their ids. */
function readItems(
  db: Db,
  session: SessionEntry,
  rows: readonly Pick<EntryRow, "kind" | "id" | "at">[],
): Map<string, SessionItem> {
  const idsOf = (...kinds: EntryRow["kind"][]): number[] =>
    rows.filter((row) => kinds.includes(row.kind)).map((row) => row.id);
  const items = new Map<string, SessionItem>();
  const add = (kind: EntryRow["kind"], id: number, item: SessionItem): void =>
    void items.set(itemId({ kind, id }), item);
  for (const { id, text, response, created_at: at, ended_at: endedAt } of promptsByIds(
    db,
    idsOf("prompt", "response"),
  )) {
    add("prompt", id, { kind: "prompt", id: `p${id}`, text, at });
    add("response", id, { kind: "message", role: "assistant", text: response ?? "", at: endedAt ?? at });
  }
  for (const { id, role, text, thinking, created_at: at } of messageTexts(db, idsOf("message")))
    add("message", id, { kind: "message", id: `m${id}`, role, text, ...(thinking && { thinking }), at });
  const touches = Map.groupBy(touchesOfUses(db, idsOf("tool")), (touch) => touch.tool_use_db_id);
  for (const row of toolUsesByIds(db, idsOf("tool"))) {
    const files = touches.get(row.id) ?? [];
    add("tool", row.id, {
      kind: "tool",
      id: `t${row.id}`,
      name: row.name,
      ...toolLine(row, files, session.cwd),
      isError: row.is_error === 1,
      ...(row.exit_code !== null && { exitCode: row.exit_code }),
      ...(row.duration_ms !== null && { durationMs: row.duration_ms }),
      files,
      input: row.input,
      output: row.output ?? "",
      at: row.created_at,
    });
  }
  for (const subagent of sessionsByIds(db, idsOf("subagent")))
    add("subagent", subagent.id, { kind: "subagent", session: subagent, at: subagent.started_at });
  for (const { id, sha, subject, created_at: at } of commitsByIds(db, idsOf("commit")))
    add("commit", id, { kind: "commit", sha, subject, at });
  return items;
}
