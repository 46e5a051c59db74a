// The worker with the real client: its hooks start it, it outlives `claude -p`, and it reads the transcript.
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { data, rows, run } from "../e2e/harness.ts";
import { session } from "./client.ts";
import { type Lab, testLab } from "./lab.ts";
import { LAST_ANSWER } from "./scripts.ts";

async function untilIdle(lab: Lab): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { jobs, spool } = (await data(lab, ["worker", "status"])) as unknown as {
      jobs: { pending: number; running: number };
      spool: { waiting: number };
    };
    if (jobs.pending + jobs.running + spool.waiting === 0) return;
    await setTimeout(200);
  }
  throw new Error("the worker still has jobs after 20 s");
}

describe("a session of the real client", () => {
  it("is read and derived by the worker without a command", async () => {
    const lab = await testLab();
    lab.env["C_MEM_WORKER"] = "1";
    onTestFinished(async () => {
      await run(lab, ["worker", "stop"]);
    });
    await run(lab, ["install", "--yes"]);
    const { id } = await session(lab, "Why does add subtract? [[script:work]]");
    await untilIdle(lab);
    expect(await data(lab, ["worker", "status"])).toMatchObject({ running: true, troubled: [] });
    expect(await rows(lab, "SELECT session_id, status FROM sessions WHERE parent_session_db_id IS NULL")).toEqual([
      { session_id: id, status: "completed" },
    ]);
    // Messages are only in the transcript, and only the worker has read that.
    const said = await rows<{ text: string }>(lab, "SELECT text FROM messages");
    expect(said.map(({ text }) => text)).toContain(LAST_ANSWER);
    expect(await rows(lab, "SELECT prompt_number FROM summaries WHERE is_current = 1 ORDER BY 1")).toEqual([
      { prompt_number: 0 },
      { prompt_number: 1 },
    ]);
    expect(await rows(lab, "SELECT * FROM stale_memory")).toEqual([]);
  });
});
