import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { prompt, seedStore } from "../../../test/seed.ts";
import { localDay } from "../../core/time.ts";
import { sql } from "../db/sql.ts";
import { costs, type LedgerEntry, type Limits, reserve, settleRequest, spentOn, answeredRequest } from "./ledger.ts";
import { openStore } from "../db/open.ts";

const NOW = new Date(2026, 0, 5, 12).getTime();
const ENTRY: LedgerEntry = { projectId: 1, provider: "openai", model: "m", purpose: "turn", requestHash: "h" };
const HIGH_LIMITS: Limits = {
  tokensPerDay: 1e9,
  tokensPerProjectAndDay: 1e9,
  microUsdPerDay: 1e9,
  microUsdPerProjectAndDay: 1e9,
};
const cost = (inputTokens: number, costMicroUsd?: number) => ({ inputTokens, outputTokens: 0, costMicroUsd });
const took = (inputTokens: number, costMicroUsd?: number) => ({
  ...cost(inputTokens, costMicroUsd),
  isEstimate: false,
});

function seeded() {
  const { db, add } = seedStore();
  add("s", prompt("one"));
  add("s2", prompt("two"), { project: { key: "k2", name: "other", root: "/other" }, cwd: "/other" });
  return db;
}

describe("the ledger", () => {
  it("counts a reservation as spent until it is settled with the real cost", () => {
    const db = seeded();
    const reserved = reserve(db, ENTRY, { maximum: cost(1_000, 50), likely: cost(1_000, 50) }, HIGH_LIMITS, NOW);
    expect(spentOn(db, localDay(NOW))).toEqual({ tokens: 1_000, microUsd: 50, requests: 1, declined: 0 });
    settleRequest(db, "id" in reserved ? reserved.id : 0, "spent", took(300));
    expect(spentOn(db, localDay(NOW))).toEqual({ tokens: 300, microUsd: 0, requests: 1, declined: 0 });
  });

  it("keeps how many tokens the prompt cache read and wrote", () => {
    const db = seeded();
    const reserved = reserve(db, ENTRY, { maximum: cost(1_000), likely: cost(1_000) }, HIGH_LIMITS, NOW);
    const id = "id" in reserved ? reserved.id : 0;
    const cached = () => db.get(sql`SELECT cache_read_tokens AS read, cache_write_tokens AS written FROM ledger`);
    settleRequest(db, id, "spent", { ...took(300), cacheReadTokens: 200, cacheWriteTokens: 50 });
    expect(cached()).toEqual({ read: 200, written: 50 });
    settleRequest(db, id, "spent", took(300));
    expect(cached()).toEqual({ read: 0, written: 0 });
  });

  it("counts an unsettled reservation in full for an hour, then as an estimate", () => {
    const db = seeded();
    const limits = { ...HIGH_LIMITS, tokensPerDay: 1_200 };
    // This request is never settled, as if its process was killed.
    reserve(db, ENTRY, { maximum: cost(1_000, 50), likely: cost(300, 10) }, limits, NOW);
    const next = (now: number) => reserve(db, ENTRY, { maximum: cost(500), likely: cost(500) }, limits, now);
    expect(next(NOW + 30 * 60_000)).toEqual({ over: "tokensPerDay" });
    expect(next(NOW + 61 * 60_000)).toHaveProperty("id");
    const scope = { sinceDay: localDay(NOW) };
    expect(costs(db, "total", scope)).toMatchObject([{ failed: 1, estimated: 1, unsettled: 1, input_tokens: 800 }]);
  });

  it("limits the tokens of one project and of all projects", () => {
    const db = seeded();
    const limits = { ...HIGH_LIMITS, tokensPerProjectAndDay: 100 };
    expect(reserve(db, ENTRY, { maximum: cost(100), likely: cost(100) }, limits, NOW)).toHaveProperty("id");
    expect(reserve(db, ENTRY, { maximum: cost(1), likely: cost(1) }, limits, NOW)).toEqual({
      over: "tokensPerProjectAndDay",
    });
    expect(
      reserve(db, { ...ENTRY, projectId: 2 }, { maximum: cost(100), likely: cost(100) }, limits, NOW),
    ).toHaveProperty("id");
    expect(
      reserve(
        db,
        { ...ENTRY, projectId: 2 },
        { maximum: cost(1), likely: cost(1) },
        { ...HIGH_LIMITS, tokensPerDay: 200 },
        NOW,
      ),
    ).toEqual({
      over: "tokensPerDay",
    });
  });

  it("declines a request with unknown price if the spending limit is exceeded", () => {
    const db = seeded();
    reserve(db, ENTRY, { maximum: cost(1, 200), likely: cost(1, 200) }, HIGH_LIMITS, NOW);
    expect(
      reserve(db, ENTRY, { maximum: cost(1), likely: cost(1) }, { ...HIGH_LIMITS, microUsdPerDay: 100 }, NOW),
    ).toEqual({
      over: "microUsdPerDay",
    });
  });

  it("begins a new day at midnight, local time", () => {
    const db = seeded();
    const evening = new Date(2026, 0, 5, 23, 59).getTime();
    const limits = { ...HIGH_LIMITS, tokensPerDay: 10 };
    expect(reserve(db, ENTRY, { maximum: cost(10), likely: cost(10) }, limits, evening)).toHaveProperty("id");
    expect(reserve(db, ENTRY, { maximum: cost(10), likely: cost(10) }, limits, evening + 30_000)).toEqual({
      over: "tokensPerDay",
    });
    expect(reserve(db, ENTRY, { maximum: cost(10), likely: cost(10) }, limits, evening + 120_000)).toHaveProperty("id");
  });

  it("knows which requests were answered; failed ones do not count", () => {
    const db = seeded();
    const reserved = reserve(db, ENTRY, { maximum: cost(1), likely: cost(1) }, HIGH_LIMITS, NOW);
    const id = "id" in reserved ? reserved.id : 0;
    settleRequest(db, id, "failed", took(0));
    expect(answeredRequest(db, "h")).toBeUndefined();
    settleRequest(db, id, "spent", took(1));
    expect([answeredRequest(db, "h"), answeredRequest(db, "other")]).toEqual([id, undefined]);
  });

  it("counts requests about no project together, within the limit of a project", () => {
    const db = seeded();
    const test = { ...ENTRY, projectId: null, purpose: "test" };
    const limits = { ...HIGH_LIMITS, tokensPerProjectAndDay: 100 };
    const ask = (entry: LedgerEntry) => reserve(db, entry, { maximum: cost(60), likely: cost(60) }, limits, NOW);
    expect([ask(ENTRY), ask(test), ask(test)]).toEqual([{ id: 1 }, { id: 2 }, { over: "tokensPerProjectAndDay" }]);
    expect(spentOn(db, localDay(NOW), null)).toMatchObject({ tokens: 60, requests: 1, declined: 1 });
    expect(costs(db, "kind", { sinceDay: localDay(NOW) }).map((row) => [row.name, row.requests])).toEqual([
      ["test", 1],
      ["turns", 1],
    ]);
  });

  it("sums costs by day, project, provider, model and kind", () => {
    const db = seeded();
    const day = 86_400_000;
    reserve(db, ENTRY, { maximum: cost(5, 7), likely: cost(5, 7) }, HIGH_LIMITS, NOW - 2 * day);
    reserve(db, ENTRY, { maximum: cost(10), likely: cost(10) }, HIGH_LIMITS, NOW);
    reserve(
      db,
      { ...ENTRY, projectId: 2, provider: "claude" },
      { maximum: cost(20, 9), likely: cost(20, 9) },
      HIGH_LIMITS,
      NOW,
    );
    reserve(db, ENTRY, { maximum: cost(1), likely: cost(1) }, { ...HIGH_LIMITS, tokensPerDay: 1 }, NOW);
    const scope = { sinceDay: localDay(NOW - day) };
    const none = { failed: 0, estimated: 0, declined: 0, output_tokens: 0, unpriced: 0 };
    const row = { ...none, cache_read_tokens: 0, cache_write_tokens: 0 };
    expect(costs(db, "project", scope).map((one) => ({ ...one }))).toEqual([
      { ...row, name: "other", requests: 1, unsettled: 1, input_tokens: 20, cost_microusd: 9 },
      { ...row, name: "app", requests: 1, unsettled: 1, declined: 1, input_tokens: 10, cost_microusd: 0, unpriced: 1 },
    ]);
    expect(costs(db, "total", { sinceDay: "2000-01-01", projectId: 1 })[0]).toMatchObject({
      requests: 2,
      input_tokens: 15,
    });
    expect(costs(db, "day", { sinceDay: "2000-01-01" }).map((one) => one.name)).toEqual(["2026-01-05", "2026-01-03"]);
    expect(costs(db, "provider", scope).map((one) => one.name)).toEqual(["claude", "openai"]);
    expect(costs(db, "model", scope).map((one) => one.name)).toEqual(["claude/m", "openai/m"]);
    expect(costs(db, "kind", scope).map((one) => one.name)).toEqual(["turns"]);
  });

  it("enforces a limit for concurrent reservations of several processes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "c-mem-ledger-"));
    const path = join(folder, "c-mem.db");
    const { db, add } = seedStore(path);
    add("s", prompt("one"));
    db.close();
    const here = pathToFileURL(import.meta.dirname).href;
    const script = join(folder, "reserve.mjs");
    writeFileSync(
      script,
      `import { openStore } from "${here}/../db/open.ts";
import { reserve } from "${here}/ledger.ts";
const db = openStore(${JSON.stringify(path)});
for (let i = 0; i < 40; i++) reserve(db, ${JSON.stringify(ENTRY)}, ${JSON.stringify({ maximum: cost(10, 1), likely: cost(10, 1) })}, ${JSON.stringify({ ...HIGH_LIMITS, tokensPerDay: 1_000 })}, ${NOW});
db.close();`,
    );
    const hooks = pathToFileURL(resolve(import.meta.dirname, "../../../dev/text-hooks.ts")).href;
    const run = () =>
      new Promise<number | null>((done) => {
        const child = spawn(process.execPath, ["--import", hooks, script], { stdio: ["ignore", "ignore", "inherit"] });
        child.on("close", done);
      });
    expect(await Promise.all(Array.from({ length: 6 }, run))).toEqual([0, 0, 0, 0, 0, 0]);
    const after = openStore(path);
    expect(spentOn(after, localDay(NOW))).toEqual({ tokens: 1_000, microUsd: 100, requests: 100, declined: 1 });
    after.close();
  });
});
