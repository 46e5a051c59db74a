// The texts of a turn, for showing what was found in it.
import type { Db } from "../db/driver.ts";
import { outputOf } from "../tables/packed.ts";
import { parseItemId } from "./items.ts";
import type { ToolUseRow } from "../tables/tool-uses.ts";

export interface TurnTexts {
  prompt: { id: number; text: string; created_at: number } | undefined;
  messages: { id: number; text: string }[];
  response: string | null;
}

export function turnTexts(db: Db, sessionDbId: number, promptNumber: number): TurnTexts {
  const prompt = db.get<{ id: number; text: string; created_at: number; response: string | null }>(
    "SELECT id, text, created_at, response FROM prompts WHERE session_db_id = ? AND prompt_number = ?",
    sessionDbId,
    promptNumber,
  );
  const messages = db.all<{ id: number; text: string }>(
    "SELECT id, text FROM messages WHERE session_db_id = ? AND prompt_number = ? AND text <> '' ORDER BY created_at, id",
    sessionDbId,
    promptNumber,
  );
  return { prompt, messages, response: prompt?.response ?? null };
}

export function thinkingOf(db: Db, messageDbId: number): string | undefined {
  return (
    db.get<{ thinking: string | null }>("SELECT thinking FROM messages WHERE id = ?", messageDbId)?.thinking ??
    undefined
  );
}

export interface ToolText {
  id: number;
  name: string;
  input: string;
  output: string | null;
  is_error: number;
  created_at: number;
}

export function toolText(db: Db, id: number): ToolText | undefined {
  return db.get(
    `SELECT id, name, input, ${outputOf()} AS output, is_error, created_at FROM tool_uses WHERE id = ?`,
    id,
  );
}

export type ItemRow =
  | { kind: "prompt"; text: string; at: number }
  | { kind: "message"; text: string; thinking: string; at: number }
  | { kind: "tool"; use: ToolUseRow };

/** By item id ("p12", "m34", "t56"). */
export function itemRow(db: Db, itemId: string): ItemRow | undefined {
  const item = parseItemId(itemId);
  if (item === undefined) return undefined;
  if (item.kind === "t") {
    const use = db.get<ToolUseRow>(`SELECT *, ${outputOf()} AS output FROM tool_uses WHERE id = ?`, item.id);
    return use && { kind: "tool", use };
  }
  if (item.kind === "p") {
    const row = db.get<{ text: string; at: number }>(
      "SELECT text, created_at AS at FROM prompts WHERE id = ?",
      item.id,
    );
    return row && { kind: "prompt", ...row };
  }
  const row = db.get<{ text: string; thinking: string; at: number }>(
    "SELECT text, coalesce(thinking, '') AS thinking, created_at AS at FROM messages WHERE id = ?",
    item.id,
  );
  return row && { kind: "message", ...row };
}
