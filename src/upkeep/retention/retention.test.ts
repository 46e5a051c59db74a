import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { SETTINGS, type Settings } from "../../config/schema.ts";
import { insertCommit } from "../../store/tables/commits.ts";
import type { Db } from "../../store/db/driver.ts";
import { purgeEvidence } from "../../store/tables/purge.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { releasePages, fileSize } from "../../store/db/disk-usage.ts";
import { loadTurnEvidence } from "../../store/reads/turn-evidence.ts";
import { bash, DAY, ended, prompt, said, type Seeded, seedStore, START, touch } from "../../../test/seed.ts";
import { deriveSession, rebuildMemory } from "../../memory/derive.ts";
import { pin, remember } from "../../memory/user-edits.ts";
import { planPurge, purge, type Purged, ruleProblems } from "./retention.ts";

const NOW = START + 400 * DAY;
const KEEP_ALL = Object.fromEntries(
  Object.entries(SETTINGS).map(([key, { default: value }]) => [key, value]),
) as unknown as Settings;

function addSessions(
  { db, add }: Seeded,
  from: number,
  to: number,
  options: { project?: string; outputChars?: number; isDerived?: boolean } = {},
): void {
  const { project = "app", outputChars = 3_000, isDerived = true } = options;
  for (let index = from; index < to; index++) {
    const id = `${project}-${index}`;
    const extra = { project: { key: project, name: project, root: `/${project}` }, at: START + index * DAY };
    add(id, prompt(`please fix lamp ${index}`), extra);
    const later = { project: extra.project };
    add(id, said(`m-${id}`, `I chose brass for lamp ${index} because it lasts`), later);
    add(
      id,
      { ...bash(`npm test lamp-${index}`, words(index, outputChars), index % 2), toolUseId: `t-${id}` } as never,
      later,
    );
    add(id, touch(`src/lamp-${index}.ts`), later);
    add(id, ended(`lamp ${index} is fixed; I chose brass because it lasts`), later);
    add(id, { kind: "session-end", reason: "exit" }, later);
  }
  if (isDerived) for (const row of db.all<{ id: number }>("SELECT id FROM sessions")) deriveSession(db, row.id, NOW);
  updateSearchIndex(db);
}

/** Text that compresses like natural text. */
function words(seed: number, chars: number): string {
  let text = `output of ${seed}\n`;
  for (let index = 0; text.length < chars; index++)
    text += `${((seed + 1) * 7_919 * (index + 3)).toString(36)} passed in src/lamp-${index % 17}.ts\n`;
  return text;
}

const numberIn = (db: Db, sql: string): number => db.get<{ n: number }>(sql)?.n ?? 0;

function purged(db: Db, settings: Settings, now: number): Purged {
  const steps = purge(db, settings, now, { mayVacuum: true });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

describe("retention", () => {
  it("keeps everything by default", () => {
    const seeded = seedStore();
    addSessions(seeded, 0, 5);
    expect(planPurge(seeded.db, KEEP_ALL, NOW)).toMatchObject({ sessions: [], observations: 0 });
    seeded.db.close();
  });

  it("deletes old evidence; its memory stays, and reading the transcript again brings nothing back", () => {
    const seeded = seedStore();
    const { db, add } = seeded;
    addSessions(seeded, 0, 10);
    const currentMemory = (): unknown =>
      db.all("SELECT title, narrative, pinned FROM observations WHERE is_current = 1 ORDER BY content_hash, id");
    const before = currentMemory() as unknown[];
    expect(before.length).toBeGreaterThan(5);
    const settings = { ...KEEP_ALL, retentionEvidenceDays: 100 };
    const now = START + 105 * DAY;
    expect(planPurge(db, settings, now).sessions.map(({ session_id }) => session_id)).toEqual(
      [0, 1, 2, 3, 4].map((index) => `app-${index}`),
    );
    expect(purged(db, settings, now)).toEqual({ sessions: 5, observations: 0 });
    expect(currentMemory()).toEqual(before);
    expect(numberIn(db, "SELECT count(*) AS n FROM prompts")).toBe(5);
    expect(numberIn(db, "SELECT count(*) AS n FROM tool_uses")).toBe(10);
    expect(numberIn(db, "SELECT count(*) AS n FROM turns_fts WHERE turns_fts MATCH 'lamp'")).toBe(5);
    expect(db.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    const rebuild = rebuildMemory(db, { now });
    while (!rebuild.next().done);
    expect(currentMemory()).toEqual(before);
    // The transcript of a purged session is read again, and then the session continues.
    add("app-2", prompt("please fix lamp 2"), { at: START + 2 * DAY });
    expect(numberIn(db, "SELECT count(*) AS n FROM prompts")).toBe(5);
    add("app-2", prompt("one more thing"), { at: now });
    expect(db.all("SELECT prompt_number, text FROM prompts WHERE session_db_id = 3")).toEqual([
      { prompt_number: 1, text: "one more thing" },
    ]);
    deriveSession(db, 3, now);
    expect(currentMemory()).toEqual(expect.arrayContaining(before));
    db.close();
  });

  it("keeps a session's commits, and does not assign them to a later turn", () => {
    const { db, add } = seedStore();
    add("app-0", prompt("fix the lamp"), { at: START });
    insertCommit(db, { sessionDbId: 1, promptNumber: 1, sha: "c0ffee1", subject: "Fix the lamp", at: START + 1 });
    db.run("UPDATE sessions SET status = 'completed'");
    deriveSession(db, 1, NOW);
    const currentMemory = (): unknown => db.all("SELECT id, title FROM observations WHERE is_current = 1 ORDER BY id");
    const before = currentMemory();
    expect(purged(db, { ...KEEP_ALL, retentionEvidenceDays: 10 }, NOW).sessions).toBe(1);
    add("app-0", prompt("and what time is it?"), { at: NOW });
    expect(db.get("SELECT prompt_number FROM prompts")).toEqual({ prompt_number: 1 });
    expect(loadTurnEvidence(db, 1, 1)?.commits).toEqual([]);
    deriveSession(db, 1, NOW);
    expect(currentMemory()).toEqual(before);
    expect(numberIn(db, "SELECT count(*) AS n FROM commits WHERE sha = 'c0ffee1'")).toBe(1);
    db.close();
  });

  it("deletes old memory, but not observations that a user pinned or wrote", () => {
    const seeded = seedStore();
    const { db } = seeded;
    addSessions(seeded, 0, 6);
    const [first] = db.all<{ id: number }>("SELECT id FROM observations ORDER BY id LIMIT 1");
    pin(db, first?.id ?? 0, true);
    const lists = { facts: [], concepts: [], files: [], evidence: [] };
    remember(
      db,
      undefined,
      { type: "decision", title: "brass", narrative: "only brass", ...lists, origin: "user" },
      START,
    );
    const settings = { ...KEEP_ALL, retentionMemoryDays: 30 };
    const { observations } = planPurge(db, settings, NOW);
    expect(observations).toBeGreaterThan(0);
    expect(purged(db, settings, NOW)).toEqual({ sessions: 0, observations });
    expect(numberIn(db, "SELECT count(*) AS n FROM observations")).toBe(2);
    expect(numberIn(db, "SELECT count(*) AS n FROM prompts")).toBe(6);
    db.close();
  });

  it("follows rules for single projects", () => {
    const seeded = seedStore();
    addSessions(seeded, 0, 3, { project: "short" });
    addSessions(seeded, 0, 3, { project: "long" });
    addSessions(seeded, 0, 3, { project: "other" });
    const settings = {
      ...KEEP_ALL,
      retentionEvidenceDays: 200,
      retentionProjects: { short: "10", long: "0/0", unknown: "1", other: "nonsense" },
    };
    const { sessions } = planPurge(seeded.db, settings, START + 50 * DAY);
    expect(new Set(sessions.map(({ project }) => project))).toEqual(new Set(["short"]));
    expect(new Set(planPurge(seeded.db, settings, NOW).sessions.map(({ project }) => project))).toEqual(
      new Set(["short"]),
    );
    seeded.db.close();
  });

  it("applies a project rule by name or key, and reports rules without a project", () => {
    const seeded = seedStore();
    const { db, add } = seeded;
    for (const root of ["/work/app", "/play/app", "/old/app"])
      add(`in ${root}`, prompt("fix it"), { project: { key: root, name: "app", root }, at: START });
    db.run("UPDATE sessions SET status = 'completed'");
    const retentionProjects = { app: "0", "/old/app": "30", ap: "0", "/play/app": "30d" };
    const settings = { ...KEEP_ALL, retentionEvidenceDays: 10, retentionProjects };
    const planned = planPurge(db, settings, NOW).sessions.map(({ session_id }) => session_id);
    expect(planned).toEqual(["in /old/app"]);
    expect(ruleProblems(db, settings)).toEqual([
      'retentionProjects: there is no project "ap"; the general limits apply.',
      'retentionProjects: "30d" is neither days (30) nor evidence/memory days (30/365); all data of /play/app is kept.',
    ]);
    db.close();
  });

  it("keeps a growing store within its size limit, with the newest sessions complete", () => {
    const path = join(mkdtempSync(join(tmpdir(), "c-mem-bounded-")), "c-mem.db");
    const seeded = seedStore(path);
    const { db } = seeded;
    const limitMb = 2;
    const settings = { ...KEEP_ALL, retentionMaxMb: limitMb };
    const sizes: number[] = [];
    let exceeded = 0;
    for (let round = 0; round < 4; round++) {
      addSessions(seeded, round * 30, round * 30 + 30, { outputChars: 20_000 });
      const grown = fileSize(db).used;
      purged(db, settings, START + (round * 30 + 40) * DAY);
      db.get("PRAGMA wal_checkpoint(TRUNCATE)");
      sizes.push(statSync(path).size);
      if (grown > limitMb * 1024 * 1024) exceeded += 1;
      expect(fileSize(db).used).toBeLessThanOrEqual(limitMb * 1024 * 1024);
    }
    expect(exceeded).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(limitMb * 1024 * 1024 * 1.1);
    expect(
      numberIn(
        db,
        "SELECT count(*) AS n FROM tool_uses t JOIN sessions s ON s.id = t.session_db_id WHERE t.name = 'Bash' AND s.session_id = 'app-119'",
      ),
    ).toBe(1);
    expect(
      numberIn(
        db,
        "SELECT count(*) AS n FROM tool_uses t JOIN sessions s ON s.id = t.session_db_id WHERE s.session_id = 'app-0'",
      ),
    ).toBe(0);
    expect(numberIn(db, "SELECT count(*) AS n FROM sessions")).toBe(120);
    db.close();
  });

  it("deletes no more than needed, with many small sessions", { timeout: 60_000 }, () => {
    const seeded = seedStore();
    const { db, add } = seeded;
    db.exec("PRAGMA synchronous = OFF");
    for (let index = 0; index < 400; index++) {
      const id = `app-${Math.floor(index / 10)}`;
      add(id, prompt(`lamp ${index}?`), { at: START + index * (DAY / 10) });
      for (let use = 0; use < 20; use++)
        add(id, { ...bash(`echo ${index}`, "lit", 0), toolUseId: `t-${index}-${use}` } as never);
      if (index % 10 === 9) add(id, { kind: "session-end", reason: "exit" });
    }
    updateSearchIndex(db);
    const limit = fileSize(db).used * 0.6;
    purged(db, { ...KEEP_ALL, retentionMaxMb: limit / 1024 / 1024 }, NOW);
    expect(fileSize(db).used / limit).toBeLessThanOrEqual(1);
    expect(fileSize(db).used / limit).toBeGreaterThan(0.8);
    db.close();
  });

  it("does not delete a large session only to get below the target", () => {
    const seeded = seedStore();
    const { db } = seeded;
    addSessions(seeded, 0, 10, { outputChars: 3_000 });
    const small = planPurge(db, { ...KEEP_ALL, retentionEvidenceDays: 1 }, NOW).bytes;
    addSessions(seeded, 10, 14, { outputChars: 60_000 });
    const chosen = (mb: number): number => planPurge(db, { ...KEEP_ALL, retentionMaxMb: mb }, NOW).sessions.length;
    const used = fileSize(db).used / 1024 / 1024;
    // Deleting the small sessions is enough for the limit, but not for the target of 90%.
    expect(chosen(used - (small / 1024 / 1024) * 0.9)).toBe(10);
    expect(chosen(used - (small / 1024 / 1024) * 1.1)).toBe(11);
    db.close();
  });

  it("leaves a consistent store if it is interrupted, and continues later", () => {
    const seeded = seedStore();
    const { db, add } = seeded;
    addSessions(seeded, 0, 4);
    // Add more tool uses than one transaction deletes.
    for (let index = 0; index < 700; index++)
      add("app-0", { ...bash(`echo ${index}`, "lamp", 0), toolUseId: `more-${index}` } as never, { at: START });
    updateSearchIndex(db);
    const settings = { ...KEEP_ALL, retentionEvidenceDays: 100 };
    const now = START + 105 * DAY;
    const left = (): number => numberIn(db, "SELECT count(*) AS n FROM tool_uses");
    const all = left();
    const steps = purgeEvidence(db, 1);
    while (left() === all) steps.next();
    expect(left()).toBeGreaterThan(all - 700);
    // Reading the transcript meanwhile brings nothing back.
    add("app-0", { ...bash("echo 0", "lamp", 0), toolUseId: "more-0" } as never, { at: START });
    expect(db.get("SELECT 1 FROM tool_uses WHERE tool_use_id = 'more-0'")).toBeUndefined();
    expect(db.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(purged(db, settings, now)).toEqual({ sessions: 4, observations: 0 });
    expect([left(), numberIn(db, "SELECT count(*) AS n FROM tool_uses_fts WHERE tool_uses_fts MATCH 'lamp'")]).toEqual([
      0, 0,
    ]);
    db.close();
  });

  it("derives memory first: evidence that was just synced is deleted, and its memory stays", () => {
    const memoryAfterPurge = (isDerived: boolean): unknown => {
      const seeded = seedStore();
      addSessions(seeded, 0, 10, { isDerived });
      expect(purged(seeded.db, { ...KEEP_ALL, retentionEvidenceDays: 100 }, NOW).sessions).toBe(10);
      return seeded.db.all("SELECT type, title, narrative FROM observations ORDER BY title, type");
    };
    expect(memoryAfterPurge(false)).toEqual(memoryAfterPurge(true));
    expect(memoryAfterPurge(false)).not.toEqual([]);
  });

  it("skips a session that was continued since the purge was planned", () => {
    const seeded = seedStore();
    addSessions(seeded, 0, 60);
    const { db, add } = seeded;
    // A clock that allows one step per transaction.
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 40));
    const steps = purge(db, { ...KEEP_ALL, retentionEvidenceDays: 100 }, NOW, { mayVacuum: true });
    steps.next();
    const count = (): number => numberIn(db, "SELECT count(*) AS n FROM prompts WHERE text LIKE '%lamp 59%'");
    expect(count()).toBe(1);
    const project = { key: "app", name: "app", root: "/app" };
    add("app-59", prompt("and polish lamp 59"), { project, at: NOW });
    while (!steps.next().done);
    clock.mockRestore();
    expect(count()).toBe(2);
    expect(numberIn(db, "SELECT count(DISTINCT session_db_id) AS n FROM prompts")).toBe(1);
  });

  it("releases free pages in steps", () => {
    const seeded = seedStore();
    const { db } = seeded;
    addSessions(seeded, 0, 20, { outputChars: 20_000 });
    db.exec("DELETE FROM tool_uses");
    const before = fileSize(db);
    expect(before.free).toBeGreaterThan(300_000);
    for (const _ of releasePages(db));
    expect(fileSize(db)).toMatchObject({ free: 0, used: before.used });
    db.close();
  });
});
