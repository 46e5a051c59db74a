// Items: prompts, messages and tool uses by the short ids people pass on ("p12", "m34", "t56").
import type { Db } from "../db/driver.ts";

export interface ItemPlace {
  session_db_id: number;
  prompt_number: number;
  created_at: number;
}

const TABLES = { p: "prompts", m: "messages", t: "tool_uses" } as const;

export function parseItemId(text: string): { kind: keyof typeof TABLES; id: number } | undefined {
  const match = /^([pmt])(\d{1,15})$/.exec(text);
  return match === null ? undefined : { kind: match[1] as keyof typeof TABLES, id: Number(match[2]) };
}

/** "o78" to 78. */
export function parseObservationId(text: string): number | undefined {
  const match = /^o(\d{1,15})$/.exec(text);
  return match === null ? undefined : Number(match[1]);
}

/** The session and the turn an item belongs to. */
export function findItem(db: Db, itemId: string): ItemPlace | undefined {
  const item = parseItemId(itemId);
  if (item === undefined) return undefined;
  return db.get(`SELECT session_db_id, prompt_number, created_at FROM ${TABLES[item.kind]} WHERE id = ?`, item.id);
}
