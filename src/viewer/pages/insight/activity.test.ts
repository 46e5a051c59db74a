import { expect, it } from "vitest";
import { activityByDay } from "./activity.ts";

const share = (day: string, agent: string, prompts: number) => ({
  day,
  agent,
  prompts,
  project: "app",
  project_key: "k",
  sessions: 1,
  tool_uses: 0,
});

it("stacks agents on their day and leaves room for days on which nothing happened", () => {
  expect(
    activityByDay([
      share("2026-03-30", "codex", 2),
      share("2026-03-28", "claude-code", 3),
      share("2026-03-30", "codex", 1),
    ]),
  ).toEqual({
    series: ["claude-code", "codex"],
    columns: [
      { label: "2026-03-28", parts: [3, 0] },
      { label: "2026-03-29", parts: [0, 0] },
      { label: "2026-03-30", parts: [0, 3] },
    ],
  });
});

it("shows the latest days where there are more than fit, and nothing where there is nothing", () => {
  const { columns } = activityByDay([share("2024-01-01", "codex", 1), share("2026-01-01", "codex", 1)]);
  expect([columns.length, columns.at(-1)?.label]).toEqual([120, "2026-01-01"]);
  expect(activityByDay([])).toEqual({ series: [], columns: [] });
});
