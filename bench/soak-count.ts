// Compares the events that hooks acknowledged with the rows in the database.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Agent } from "../test/chaos/agent.ts";
import type { World } from "../test/e2e/harness.ts";

export interface Count {
  /** Prompts and tool uses that the agents had, also those whose hook was killed. */
  tried: number;
  acknowledged: number;
  lost: string[];
  doubled: number;
  /** Stored rows that no agent sent. */
  invented: number;
}

export function countEvents(world: World, agents: readonly Agent[]): Count {
  const found = storedIds(world, agents);
  const distinct = new Set(found);
  const tried = new Set(agents.flatMap(({ turns }) => [...turns].flatMap(([prompt, tools]) => [prompt, ...tools])));
  const acknowledged = agents.flatMap((agent) => [...agent.acknowledged]);
  return {
    tried: tried.size,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((id) => !distinct.has(id)),
    doubled: found.length - distinct.size,
    invented: [...distinct].filter((id) => !tried.has(id)).length,
  };
}

function storedIds(world: World, agents: readonly Agent[]): string[] {
  const db = new DatabaseSync(join(world.home, "c-mem.db"), { readOnly: true, timeout: 5_000 });
  const sessions = JSON.stringify(agents.map(({ sessionId }) => sessionId));
  const ids = db
    .prepare(
      `WITH ours AS (SELECT id FROM sessions WHERE session_id IN (SELECT value FROM json_each(?1)))
       SELECT prompt_id AS id FROM prompts WHERE session_db_id IN ours
       UNION ALL SELECT tool_use_id FROM tool_uses WHERE session_db_id IN ours`,
    )
    .all(sessions) as { id: string }[];
  db.close();
  return ids.map(({ id }) => id);
}
