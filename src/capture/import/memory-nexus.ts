// memory-nexus's database: whole conversations with their tool uses, in a full-text table with the rest beside it.
import { isInterruption } from "../../agents/claude-code/prompt.ts";
import type { Activity, CapturedEvent, FileTouch } from "../../core/event.ts";
import type { Db } from "../../store/db/driver.ts";
import { eventOf, type ForeignSession, parsed, projectNamed, type Row, text, time } from "./foreign.ts";
import { MAX_SESSION_ROWS, type Source } from "./source.ts";

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
    const events = [...readMessages(source, ofSession), ...readToolUses(source, ofSession)]
      .filter(({ at }) => at > 0)
      .toSorted((a, b) => a.at - b.at)
      .map(({ at, activity }): CapturedEvent => ({
        ...eventOf(session, at, activity),
        branch: text(row, "git_branch"),
      }));
    const last = events.at(-1);
    // What was said last, with no tool use after it, ended the session's last turn.
    if (last?.activity.kind === "message" && last.activity.role === "assistant" && last.activity.text !== "")
      events.push({ ...last, activity: { kind: "turn-end", response: last.activity.text } });
    const summary = text(row, "summary");
    const startedAt = time(row, "created_at") || (events[0]?.at ?? 0);
    if (summary !== "") events.push(eventOf(session, startedAt, { kind: "title", title: summary.slice(0, MAX_TITLE) }));
    yield { sessionId, events, observations: [], summaries: [] };
  }
}

const MAX_TITLE = 200;

interface OfSession {
  where: string;
  params: string[];
  limit: number;
}

interface Happened {
  at: number;
  activity: Activity;
}

/** The rows of the full-text table `messages` are stored in another, with columns c0, c1 and so on. */
function* messagesOf(source: Source, ofSession: OfSession): Generator<Row, void> {
  const columns = source.columnsOf("messages");
  const at = columns.indexOf("session_id");
  if (at < 0) return;
  for (const row of source.rows("messages_content", { ...ofSession, where: `c${at} = ?` }))
    yield { number: row["id"], ...Object.fromEntries(columns.map((name, index) => [name, row[`c${index}`]])) };
}

function readMessages(source: Source, ofSession: OfSession): Happened[] {
  const meta = new Map([...source.rows("messages_meta", ofSession)].map((row) => [row["id"], row]));
  const rows = source.tables.has("messages") ? plainMessages(source, ofSession) : messagesOf(source, ofSession);
  return [...rows].flatMap((message): Happened[] => {
    const { uuid: ofMeta, model: usedModel } = meta.get(message["number"]) ?? {};
    const row: Row = { ...message, uuid: ofMeta, model: usedModel };
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

function* plainMessages(source: Source, ofSession: OfSession): Generator<Row, void> {
  for (const row of source.rows("messages", ofSession)) yield { ...row, number: row["c-mem rowid"] };
}

function readToolUses(source: Source, ofSession: OfSession): Happened[] {
  return [...source.rows("tool_uses", ofSession)].map((row) => {
    const name = text(row, "tool_name");
    const input = parsed(row["input_json"]) ?? {};
    const error = text(row, "error_text");
    const output = [text(row, "output_text"), error].filter((part) => part !== "").join("\n");
    return {
      at: time(row, "timestamp"),
      activity: {
        kind: "tool-use",
        toolUseId: text(row, "tool_id") || `import:${String(row["id"])}`,
        name,
        input,
        output,
        isError: row["is_error"] === 1,
        files: filesOf(name, input),
      },
    };
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
