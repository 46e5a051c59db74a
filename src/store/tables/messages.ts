// messages: one row per message of the assistant, notice of the agent or summary of a compaction.
import type { Activity } from "../../core/event.ts";
import type { Db } from "../db/driver.ts";
import { nextId } from "../db/item-ids.ts";
import { sql } from "../db/sql.ts";
import type { TurnKey } from "./prompts.ts";

type MessageActivity = Omit<Extract<Activity, { kind: "message" }>, "kind">;

export interface Message extends TurnKey, Omit<MessageActivity, "role"> {
  role: MessageActivity["role"] | "summary";
  at: number;
}

export function hasMessage(db: Db, sessionId: string, uuid: string): boolean {
  return db.has(sql`SELECT 1 FROM messages m JOIN sessions s ON s.id = m.session_db_id
    WHERE s.session_id = ${sessionId} AND m.uuid = ${uuid}`);
}

/** A message may be reported before it is complete, in any order: the longer text is kept. */
export function upsertMessage(db: Db, { sessionDbId, promptNumber, promptId, tokens, ...message }: Message): void {
  db.run(sql`INSERT INTO messages
      (id, session_db_id, prompt_number, prompt_id, uuid, parent_uuid, role, text, thinking, model,
       input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, created_at)
    VALUES (${nextId("messages")}, ${sessionDbId}, ${promptNumber}, ${promptId}, ${message.uuid}, ${message.parentUuid},
      ${message.role}, ${message.text}, ${message.thinking}, ${message.model},
      ${tokens?.input}, ${tokens?.output}, ${tokens?.cacheRead}, ${tokens?.cacheWrite}, ${message.at})
    ON CONFLICT (session_db_id, uuid) DO UPDATE SET
      text = CASE WHEN length(excluded.text) > length(text) THEN excluded.text ELSE text END,
      thinking = CASE WHEN length(coalesce(excluded.thinking, '')) > length(coalesce(thinking, '')) THEN excluded.thinking
        ELSE thinking END,
      model = coalesce(model, excluded.model),
      parent_uuid = coalesce(parent_uuid, excluded.parent_uuid),
      input_tokens = coalesce(max(input_tokens, excluded.input_tokens), input_tokens, excluded.input_tokens),
      output_tokens = coalesce(max(output_tokens, excluded.output_tokens), output_tokens, excluded.output_tokens),
      cache_read_tokens = coalesce(max(cache_read_tokens, excluded.cache_read_tokens), cache_read_tokens, excluded.cache_read_tokens),
      cache_write_tokens = coalesce(max(cache_write_tokens, excluded.cache_write_tokens), cache_write_tokens, excluded.cache_write_tokens)`);
}

export interface MessageRow {
  id: number;
  prompt_number: number;
  role: Message["role"];
  text: string;
  thinking: string | null;
  model: string | null;
  created_at: number;
}
