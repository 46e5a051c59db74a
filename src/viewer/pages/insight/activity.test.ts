import { expect, it } from "vitest";
import { activityByDay, growthByDay } from "./activity.ts";

const share = (day: string, agent: string, prompts: number) => ({
  day,
  agent,
  prompts,
  project: "app",
  project_key: "k",
  sessions: 1,
  tool_uses: 0,
  bytes: 100 * prompts,
});

const firstFilled = (columns: readonly { parts: readonly number[] }[]) =>
  columns.findIndex(({ parts }) => parts.some((part) => part > 0));

it("stacks the agents of a day and includes days without activity", () => {
  const { series, columns } = activityByDay([
    share("2026-03-30", "codex", 2),
    share("2026-03-28", "claude-code", 3),
    share("2026-03-30", "codex", 1),
  ]);
  expect(series).toEqual(["claude-code", "codex"]);
  expect(columns.slice(-3)).toEqual([
    { label: "2026-03-28", parts: [3, 0] },
    { label: "2026-03-29", parts: [0, 0] },
    { label: "2026-03-30", parts: [0, 3] },
  ]);
});

it("shows at least two weeks, so that the column of a single day is narrow", () => {
  const { columns } = activityByDay([share("2026-03-30", "codex", 2)]);
  expect([columns.length, columns[0]?.label, firstFilled(columns)]).toEqual([14, "2026-03-17", 13]);
});

it("sums recorded bytes up to each day, including days before the first column", () => {
  const columns = growthByDay([share("2024-01-01", "codex", 1), share("2026-01-01", "codex", 2)]);
  expect([columns.length, columns[0]?.parts, columns.at(-1)?.parts]).toEqual([120, [100], [300]]);
  expect(growthByDay([])).toEqual([]);
});

it("shows at most the latest 120 days, and no columns if nothing was recorded", () => {
  const { columns } = activityByDay([share("2024-01-01", "codex", 1), share("2026-01-01", "codex", 1)]);
  expect([columns.length, columns.at(-1)?.label]).toEqual([120, "2026-01-01"]);
  expect(activityByDay([])).toEqual({ series: [], columns: [] });
});
