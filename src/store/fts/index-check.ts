// Compares the full-text indexes with the rows they are of.
import type { Db } from "../db/driver.ts";

/** Rows without an entry that should have one, and entries without a row. */
export function countIndexGaps(db: Db): number {
  const gaps = [
    [
      "turns_fts",
      "SELECT id FROM prompts WHERE id NOT IN (SELECT prompt_db_id FROM stale_turns)",
      "SELECT id FROM prompts",
    ],
    [
      "tool_uses_fts",
      "SELECT id FROM tool_uses WHERE id <= (SELECT last_id FROM index_state WHERE name = 'tool_uses')",
      "SELECT id FROM tool_uses",
    ],
    [
      "thinking_fts",
      "SELECT id FROM messages WHERE thinking <> '' AND id NOT IN (SELECT message_db_id FROM stale_thinking)",
      "SELECT id FROM messages WHERE thinking <> ''",
    ],
    ["observations_fts", "SELECT id FROM observations", "SELECT id FROM observations"],
    ["prompts_trigram", "SELECT id FROM prompts", "SELECT id FROM prompts"],
  ].map(
    ([table, wanted, allowed]) =>
      db.get<{ n: number }>(
        `SELECT (SELECT count(*) FROM (${wanted} EXCEPT SELECT id FROM ${table}_docsize))
           + (SELECT count(*) FROM (SELECT id FROM ${table}_docsize EXCEPT ${allowed})) AS n`,
      )?.n ?? 0,
  );
  return gaps.reduce((sum, number) => sum + number, 0);
}
