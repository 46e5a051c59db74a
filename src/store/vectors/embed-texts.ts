// The texts of what is to be embedded, read from the rows.
import { observationPieces, turnPieces } from "../../core/embed-text.ts";
import type { Db } from "../db/driver.ts";
import { getObservation } from "../tables/observations.ts";
import type { StaleItem } from "./vectors.ts";

export interface EmbedText {
  /** 0: of no session. */
  sessionDbId: number;
  /** None where there is nothing to embed. */
  pieces: string[];
}

export function embedText(db: Db, { kind, itemId }: StaleItem): EmbedText {
  return kind === "turn" ? turnText(db, itemId) : observationText(db, itemId);
}

const NOTHING: EmbedText = { sessionDbId: 0, pieces: [] };

function turnText(db: Db, promptDbId: number): EmbedText {
  const prompt = db.get<{ session: number; number: number; text: string; response: string | null }>(
    "SELECT session_db_id AS session, prompt_number AS number, text, response FROM prompts WHERE id = ?",
    promptDbId,
  );
  if (prompt === undefined) return NOTHING;
  const messages = db.all<{ text: string }>(
    `SELECT text FROM messages WHERE session_db_id = ? AND prompt_number = ? AND role = 'assistant' ORDER BY created_at, id`,
    prompt.session,
    prompt.number,
  );
  // A session that only hooks have seen has no messages: its last words are all there is.
  const answers = messages.length > 0 ? messages.map(({ text }) => text) : [prompt.response ?? ""];
  return { sessionDbId: prompt.session, pieces: turnPieces(prompt.text, answers) };
}

function observationText(db: Db, id: number): EmbedText {
  const row = getObservation(db, id);
  // Another producer's version stands: that one is embedded.
  if (row === undefined || row.is_current === 0) return NOTHING;
  const { title, narrative } = row;
  const pieces = observationPieces({ title, narrative, facts: JSON.parse(row.facts) as string[] });
  return { sessionDbId: row.session_db_id ?? 0, pieces };
}
