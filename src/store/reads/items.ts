// Finds prompts, messages and tool uses by their item ids ("p12", "m34", "t56"), and the texts of a turn.
import type { Db } from "../db/driver.ts";
import { parseItemId } from "../db/item-ids.ts";
import { raw, sql } from "../db/sql.ts";
import { type ToolUseRow, toolUsesByIds } from "../tables/tool-uses.ts";

/** "o78" -> 78 */
export function parseObservationId(text: string): number | undefined {
  const item = parseItemId(text);
  return item?.table === "observations" ? item.id : undefined;
}

/** The session and turn of a prompt, message or tool use. */
export function findItem(
  db: Db,
  itemId: string,
): { session_db_id: number; prompt_number: number; created_at: number } | undefined {
  const item = parseItemId(itemId);
  if (item === undefined || item.table === "observations") return undefined;
  return db.get(sql`SELECT session_db_id, prompt_number, created_at FROM ${raw(item.table)} WHERE id = ${item.id}`);
}

export type ItemRow =
  | { kind: "prompt"; text: string; at: number }
  | { kind: "message"; text: string; thinking: string; at: number }
  | { kind: "tool"; use: ToolUseRow };

export function itemRow(db: Db, itemId: string): ItemRow | undefined {
  const item = parseItemId(itemId);
  if (item?.table === "prompts")
    return db.get(sql`SELECT 'prompt' AS kind, text, created_at AS at FROM prompts WHERE id = ${item.id}`);
  if (item?.table === "messages")
    return db.get(sql`SELECT 'message' AS kind, text, coalesce(thinking, '') AS thinking, created_at AS at
      FROM messages WHERE id = ${item.id}`);
  const [use] = item?.table === "tool_uses" ? toolUsesByIds(db, [item.id]) : [];
  return use && { kind: "tool", use };
}

export function thinkingOf(db: Db, messageDbId: number): string | undefined {
  return db.value(sql`SELECT thinking FROM messages WHERE id = ${messageDbId}`);
}

export function turnTexts(db: Db, sessionDbId: number, promptNumber: number) {
  const inTurn = sql`session_db_id = ${sessionDbId} AND prompt_number = ${promptNumber}`;
  type Prompt = { id: number; text: string; response: string | null; created_at: number };
  const prompt = db.get<Prompt>(sql`SELECT id, text, response, created_at FROM prompts WHERE ${inTurn}`);
  const messages = db.all<{ id: number; text: string }>(sql`SELECT id, text FROM messages
    WHERE ${inTurn} AND text <> '' ORDER BY created_at, id`);
  return { prompt, messages };
}
