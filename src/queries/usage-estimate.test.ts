import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { estimateUsage, findUsage, usageText } from "./usage-estimate.ts";

const DAY = 86_400_000;
const NOW = 100 * DAY;
const file = (daysAgo: number, bytes: number, isSubagent = false) => ({
  isSubagent,
  bytes,
  modifiedAt: NOW - daysAgo * DAY,
});

describe("estimateUsage", () => {
  it.each([
    ["no sessions", [], { sessions: 0, bytes: 0, tokensPerDay: 0 }],
    ["one session of today as a day", [file(0.1, 1e6)], { sessions: 1, bytes: 1e6, tokensPerDay: 30_000 }],
    [
      "three days of a user who started three days ago",
      [file(2.5, 2e6), file(0, 1e6)],
      { sessions: 2, bytes: 3e6, tokensPerDay: 30_000 },
    ],
    [
      "two weeks, not older sessions",
      [file(13.5, 7e6), file(1, 7e6), file(15, 9e9)],
      { sessions: 2, bytes: 14e6, tokensPerDay: 30_000 },
    ],
    ["no subagents and no files from the future", [file(1, 9e9, true), file(-1, 9e9)], { sessions: 0, bytes: 0 }],
    ["two significant digits", [file(0, 1_234_567)], { tokensPerDay: 37_000 }],
  ])("counts %s", (_, files, expected) => {
    expect(estimateUsage(files, NOW)).toMatchObject(expected);
  });

  it("is found in the folders of the agents", () => {
    const home = mkdtempSync(join(tmpdir(), "c-mem-usage-"));
    const folder = join(home, ".claude", "projects", "-app");
    mkdirSync(folder, { recursive: true });
    const now = Date.now();
    for (const [name, daysAgo] of [["new", 1] as const, ["old", 20] as const]) {
      const path = join(folder, `${name}.jsonl`);
      writeFileSync(path, "x".repeat(100_000));
      utimesSync(path, new Date(now), new Date(now - daysAgo * DAY + 1_000));
    }
    const usage = findUsage({ HOME: home }, { sessionFolders: {} }, now);
    expect(usage).toEqual({ sessions: 1, bytes: 100_000, tokensPerDay: 3_000 });
    expect(usageText(usage)).toBe("about 3,000 tokens a day");
    const none = findUsage({ HOME: join(home, "empty") }, { sessionFolders: {} }, now);
    expect(usageText(none)).toBe("tokens a day unknown, no sessions found yet");
  });
});
