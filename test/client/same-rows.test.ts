// Tests that hooks and transcripts give the same rows for the same session.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rows, run, type World } from "../e2e/harness.ts";
import { session } from "./client.ts";
import { testLab } from "./lab.ts";

/** Table -> a query of the columns that hooks and transcripts both fill. Times differ and are left out. */
const QUERIES = {
  sessions: `SELECT s.session_id, p.session_id AS parent, s.prompt_count, s.title FROM sessions s
    LEFT JOIN sessions p ON p.id = s.parent_session_db_id ORDER BY s.session_id`,
  prompts: "SELECT prompt_number, prompt_id, text, response FROM prompts ORDER BY prompt_number",
  tool_uses: `SELECT tool_use_id, prompt_number, agent_id, name, input, output, is_error, exit_code FROM tool_uses
    ORDER BY tool_use_id`,
  file_touches: `SELECT t.tool_use_id, f.path, f.kind, f.added, f.removed FROM file_touches f
    JOIN tool_uses t ON t.id = f.tool_use_db_id ORDER BY t.tool_use_id`,
};

async function evidence(world: World): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const [name, sql] of Object.entries(QUERIES)) {
    // In the transcript, the keys of an input have another order.
    answers[name] = (await rows(world, sql)).map((row) => ({
      ...row,
      ...(typeof row["input"] === "string" && { input: JSON.parse(row["input"]) as unknown }),
    }));
  }
  return answers;
}

describe("hooks and transcripts", () => {
  it("give the same rows, alone and together", async () => {
    const lab = await testLab();
    await run(lab, ["install", "--yes"]);
    await session(lab, "Why does add subtract? [[script:work]]");
    const byHooks = await evidence(lab);
    const other: World = {
      ...lab,
      home: join(lab.root, "other"),
      env: { ...lab.env, C_MEM_HOME: join(lab.root, "other") },
    };
    await run(other, ["sync"]);
    expect(await evidence(other)).toEqual(byHooks);
    await run(lab, ["sync"]);
    expect(await evidence(lab)).toEqual(byHooks);
  });
});
