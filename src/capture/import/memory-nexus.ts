// memory-nexus's database: whole conversations with their tool uses, in a full-text table with the rest beside it.
import type { Activity, CapturedEvent, FileTouch } from "../../core/event.ts";
import type { Db } from "../../store/driver.ts";
import { eventOf, type ForeignSession, parsed, projectNamed, type Row, text, time } from "./foreign.ts";

export function isMemoryNexus(tables: ReadonlySet<string>): boolean {
  return tables.has("sessions") && tables.has("messages_meta") && tables.has("tool_uses");
}

export function* readMemoryNexus(source: Db, db: Db): Generator<ForeignSession, void> {
  for (const row of source.all<Row>("SELECT * FROM sessions ORDER BY created_at, id")) {
    const sessionId = text(row, "id");
    if (sessionId === "") continue;
    const cwd = text(row, "project_path");
    const session = { sessionId, project: projectNamed(db, text(row, "project_name"), cwd), cwd };
    const events = [...readMessages(source, sessionId), ...readToolUses(source, sessionId)]
      .filter(({ at }) => at > 0)
      .toSorted((a, b) => a.at - b.at)
      .map(({ at, activity }): CapturedEvent => ({
        ...eventOf(session, at, activity),
        branch: text(row, "git_branch"),
      }));
    const summary = text(row, "summary");
    const startedAt = time(row, "created_at") || (events[0]?.at ?? 0);
    if (summary !== "") events.push(eventOf(session, startedAt, { kind: "title", title: summary.slice(0, MAX_TITLE) }));
    yield { sessionId, events, observations: [], summaries: [] };
  }
}

const MAX_TITLE = 200;

interface Happened {
  at: number;
  activity: Activity;
}

function readMessages(source: Db, sessionId: string): Happened[] {
  const rows = source.all<Row>(
    `SELECT f.rowid AS number, f.role, f.content, f.thinking, f.timestamp, m.uuid, m.model
     FROM messages f LEFT JOIN messages_meta m ON m.id = f.rowid AND m.session_id = f.session_id WHERE f.session_id = ?`,
    sessionId,
  );
  return rows.flatMap((row): Happened[] => {
    const at = time(row, "timestamp");
    const words = text(row, "content");
    const thinking = text(row, "thinking");
    const uuid = text(row, "uuid") || `import:${String(row["number"])}`;
    if (row["role"] === "user") return words === "" ? [] : [{ at, activity: { kind: "prompt", text: words } }];
    if (words === "" && thinking === "") return [];
    const model = text(row, "model");
    const role = row["role"] === "system" ? "system" : "assistant";
    const more = { ...(thinking !== "" && { thinking }), ...(model !== "" && { model }) };
    return [{ at, activity: { kind: "message", uuid, role, text: words, ...more } }];
  });
}

function readToolUses(source: Db, sessionId: string): Happened[] {
  return source.all<Row>("SELECT * FROM tool_uses WHERE session_id = ? ORDER BY id", sessionId).map((row) => {
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
