// Finds turns that are stored twice: some agents copy a session's messages, with their ids, into a transcript under a
// new session id, without a mark that it is a copy. Memory is derived from one of them only.
import type { Db } from "../db/driver.ts";
import { anyOf, raw, sql, type Sql } from "../db/sql.ts";

/** Short ids, such as line numbers, do not identify a prompt in another session. */
const MIN_ID_CHARS = 16;

/** SQL: whether the prompt `copy` is the same prompt as `p` in another session of the project. */
function isSamePrompt(p: string, copy: string): Sql {
  const [one, other] = [raw(p), raw(copy)];
  return sql`${other}.prompt_id = ${one}.prompt_id AND ${other}.session_db_id <> ${one}.session_db_id
    AND ${other}.text = ${one}.text AND length(${one}.prompt_id) >= ${MIN_ID_CHARS}
    AND (SELECT project_id FROM sessions WHERE id = ${other}.session_db_id)
      = (SELECT project_id FROM sessions WHERE id = ${one}.session_db_id)`;
}

/** SQL: how many other sessions have a copy of the turn of the observation `o`. */
export function copiesOf(o: string): Sql {
  const row = raw(o);
  return sql`(SELECT count(*) FROM prompts p JOIN prompts c ON ${isSamePrompt("p", "c")}
    WHERE p.session_db_id = ${row}.session_db_id AND p.prompt_number = ${row}.prompt_number)`;
}

/**
 * Whether another session has the turn, too, and memory is derived from that one: the one with the most evidence, as
 * a copy may continue an unfinished turn, else the one stored first.
 */
export function isCopiedTurn(db: Db, promptDbId: number): boolean {
  const amount = sql`(SELECT count(*) FROM messages m WHERE m.session_db_id = t.session_db_id AND m.prompt_number = t.prompt_number)
    + (SELECT count(*) FROM tool_uses u WHERE u.session_db_id = t.session_db_id AND u.prompt_number = t.prompt_number)`;
  const best =
    db.value<number>(sql`SELECT t.id FROM prompts p JOIN prompts t ON t.id = p.id OR (${isSamePrompt("p", "t")})
    WHERE p.id = ${promptDbId} ORDER BY ${amount} DESC, t.id LIMIT 1`);
  return best !== undefined && best !== promptDbId;
}

/** The turns of other sessions that are copies of this one, or the original. */
export function copiedTurns(
  db: Db,
  promptDbId: number,
): { id: number; session_db_id: number; prompt_number: number }[] {
  return db.all(sql`SELECT c.id, c.session_db_id, c.prompt_number FROM prompts p JOIN prompts c ON ${isSamePrompt("p", "c")}
    WHERE p.id = ${promptDbId} ORDER BY c.id`);
}

/** SQL: the ids of the same messages or tool uses in the copies of their turns. */
export function copiesOfParts(table: "messages" | "tool_uses", ids: readonly number[]): Sql {
  const isSame =
    table === "messages" ? sql`c.role = m.role AND c.text = m.text` : sql`c.name = m.name AND c.input = m.input`;
  return sql`SELECT c.id FROM ${raw(table)} m
    JOIN prompts p ON p.session_db_id = m.session_db_id AND p.prompt_number = m.prompt_number
    JOIN prompts d ON ${isSamePrompt("p", "d")}
    JOIN ${raw(table)} c ON c.session_db_id = d.session_db_id AND c.prompt_number = d.prompt_number AND ${isSame}
    WHERE m.id IN ${anyOf(ids)}`;
}

/** Whether the session has no turn of its own after those that it copied. */
export function isCopiedSession(db: Db, sessionDbId: number): boolean {
  const last = db.value<number>(
    sql`SELECT id FROM prompts WHERE session_db_id = ${sessionDbId} ORDER BY prompt_number DESC LIMIT 1`,
  );
  return last !== undefined && isCopiedTurn(db, last);
}
