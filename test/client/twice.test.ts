// Hooks installed twice, as a plugin and in settings.json, still record everything once.
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT, rows, run } from "../e2e/harness.ts";
import { session } from "./client.ts";
import { testLab } from "./lab.ts";

it("hooks that run twice leave one row for each prompt and tool use", async () => {
  const lab = await testLab();
  await run(lab, ["install", "--method", "settings", "--yes"]);
  const options = { args: ["--plugin-dir", join(ROOT, "plugin")] };
  await session(lab, "Why does add subtract? [[script:work]]", options);
  const [uses] = await rows(lab, "SELECT count(*) AS n, count(DISTINCT tool_use_id) AS ids FROM tool_uses");
  expect(uses).toEqual({ n: 9, ids: 9 });
  expect(await rows(lab, "SELECT count(*) AS n FROM file_touches")).toEqual([{ n: 4 }]);
  expect(await rows(lab, "SELECT prompt_number FROM prompts")).toEqual([{ prompt_number: 1 }]);
  expect(await rows(lab, "SELECT prompt_count, status FROM sessions ORDER BY id")).toEqual([
    { prompt_count: 1, status: "completed" },
    { prompt_count: 0, status: "completed" },
  ]);
  const runs = await rows(lab, "SELECT hook, count FROM hook_runs ORDER BY hook");
  expect(runs).toEqual([
    { hook: "cleanup", count: 2 },
    { hook: "context", count: 2 },
    { hook: "new", count: 2 },
    { hook: "save", count: 18 },
    { hook: "summary", count: 4 },
  ]);
});
