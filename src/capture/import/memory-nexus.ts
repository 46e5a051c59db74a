// Reads memory-nexus's database. The texts of messages may be in a full-text table, all else is in tables beside it.
import { isInterruption } from "../../agents/claude-code/prompt.ts";
import type { Activity, CapturedEvent, FileTouch } from "../../core/event.ts";
import type { Db } from "../../store/db/driver.ts";
import { eventOf, type ForeignSession, parsed, projectNamed, type Row, text, time } from "./foreign-rows.ts";
import { MAX_SESSION_ROWS, type RowOptions, type Source } from "./source.ts";

const MAX_TITLE = 200;

export function isMemoryNexus(tables: ReadonlySet<string>): boolean {
  return tables.has("sessions") && tables.has("messages_meta") && tables.has("tool_uses");
}

export function* readMemoryNexus(source: Source, db: Db): Generator<ForeignSession, void> {
  for (const row of source.rows("sessions")) {
    const sessionId = text(row, "id");
    if (sessionId === "") continue;
    const cwd = text(row, "project_path");
    const session = { sessionId, project: projectNamed(db, text(row, "project_name"), cwd), cwd };
    const ofSession = { where: "session_id = ?", params: [String(row["id"])], limit: MAX_SESSION_ROWS };
    const branch = text(row, "git_branch");
    const events = [...readMessages(source, ofSession), ...readToolUses(source, ofSession)]
      .filter(({ at }) => at > 0)
      .toSorted((a, b) => a.at - b.at)
      .map(({ at, activity }): CapturedEvent => ({ ...eventOf(session, at, activity), branch }));
    const last = events.at(-1);
    // If the session's last event is a message of the assistant, that message ended the turn.
    if (last?.activity.kind === "message" && last.activity.role === "assistant" && last.activity.text !== "")
      events.push({ ...last, activity: { kind: "turn-end", response: last.activity.text } });
    const summary = text(row, "summary");
    const startedAt = time(row, "created_at") || (events[0]?.at ?? 0);
    if (summary !== "") events.push(eventOf(session, startedAt, { kind: "title", title: summary.slice(0, MAX_TITLE) }));
    yield { sessionId, events, observations: [], summaries: [] };
  }
}

interface Timed {
  at: number;
  activity: Activity;
}

function readMessages(source: Source, ofSession: RowOptions): Timed[] {
  const meta = new Map([...source.rows("messages_meta", ofSession)].map((row) => [row["id"], row]));
  return messageRows(source, ofSession).flatMap((message): Timed[] => {
    const { uuid: metaUuid, model: metaModel } = meta.get(message["number"]) ?? {};
    const row: Row = { ...message, uuid: metaUuid, model: metaModel };
    const at = time(row, "timestamp");
    const words = text(row, "content");
    const thinking = text(row, "thinking");
    const uuid = text(row, "uuid") || `import:${String(row["number"])}`;
    if (row["role"] === "user" && isInterruption(words))
      return [{ at, activity: { kind: "turn-end", isInterrupted: true } }];
    if (row["role"] === "user") return words === "" ? [] : [{ at, activity: { kind: "prompt", text: words } }];
    if (words === "" && thinking === "") return [];
    const model = text(row, "model");
    const role = row["role"] === "system" ? "system" : "assistant";
    const more = { ...(thinking !== "" && { thinking }), ...(model !== "" && { model }) };
    return [{ at, activity: { kind: "message", uuid, role, text: words, ...more } }];
  });
}

/** If `messages` is a full-text table, its rows are read from SQLite's own messages_content (c0, c1 and so on). */
function messageRows(source: Source, ofSession: RowOptions): Row[] {
  if (source.tables.has("messages"))
    return [...source.rows("messages", ofSession)].map((row) => ({ ...row, number: row["c-mem rowid"] }));
  const columns = source.columnsOf("messages");
  const at = columns.indexOf("session_id");
  const rows = at < 0 ? [] : [...source.rows("messages_content", { ...ofSession, where: `c${at} = ?` })];
  return rows.map((row) => ({
    number: row["id"],
    ...Object.fromEntries(columns.map((name, index) => [name, row[`c${index}`]])),
  }));
}

function readToolUses(source: Source, ofSession: RowOptions): Timed[] {
  return [...source.rows("tool_uses", ofSession)].map((row) => {
    const name = text(row, "tool_name");
    const input = parsed(row["input_json"]) ?? {};
    const output = [text(row, "output_text"), text(row, "error_text")].filter((part) => part !== "").join("\n");
    const toolUseId = text(row, "tool_id") || `import:${String(row["id"])}`;
    const isError = row["is_error"] === 1;
    const activity: Activity = {
      kind: "tool-use",
      toolUseId,
      name,
      input,
      output,
      isError,
      files: filesOf(name, input),
    };
    return { at: time(row, "timestamp"), activity };
  });
}

const KINDS: Readonly<Record<string, FileTouch["kind"]>> = {
  Read: "read",
  Edit: "edit",
  MultiEdit: "edit",
  Write: "create",
};

function filesOf(name: string, input: unknown): FileTouch[] {
  const path = (input as { file_path?: unknown }).file_path;
  const kind = KINDS[name];
  return typeof path === "string" && kind !== undefined ? [{ path, kind }] : [];
}
