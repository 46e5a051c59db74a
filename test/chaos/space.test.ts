// Disk usage as a user sees it: the report, deletion by retention settings, compression.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createWorld, data, hook, rows, run, type World } from "../e2e/harness.ts";

const DAY = 24 * 60 * 60 * 1000;

/** Records sessions that ended this many days ago. */
async function recordSessions(world: World, ages: readonly number[]): Promise<void> {
  for (const age of ages) {
    const base = { session_id: `aged-${age}`, prompt_id: `p-${age}` };
    await hook(world, "new", { ...base, hook_event_name: "UserPromptSubmit", prompt: `repair lamp ${age}` });
    await hook(world, "save", {
      ...base,
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_use_id: `t-${age}`,
      tool_input: { command: `npm test ${age}` },
      tool_response: { stdout: `lamp ${age} shines\n`.repeat(300) },
    });
    await hook(world, "summary", { ...base, hook_event_name: "Stop", last_assistant_message: `repaired ${age}` });
    await hook(world, "cleanup", { ...base, hook_event_name: "SessionEnd", reason: "exit" });
  }
  await run(world, ["rebuild", "--all", "--quiet"]);
  const db = new DatabaseSync(join(world.home, "c-mem.db"));
  for (const age of ages) {
    const shift = age * DAY;
    const ofSession = `(SELECT id FROM sessions WHERE session_id = 'aged-${age}')`;
    db.exec(`UPDATE tool_uses SET created_at = created_at - ${shift} WHERE session_db_id = ${ofSession};
      UPDATE prompts SET created_at = created_at - ${shift}, ended_at = ended_at - ${shift} WHERE session_db_id = ${ofSession};
      UPDATE observations SET valid_from = valid_from - ${shift} WHERE session_db_id = ${ofSession};
      UPDATE sessions SET started_at = started_at - ${shift}, last_at = last_at - ${shift}, ended_at = ended_at - ${shift} WHERE session_id = 'aged-${age}';`);
  }
  db.close();
}

const configure = (world: World, settings: object): void => {
  mkdirSync(world.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(world.home, "config.json"), JSON.stringify(settings));
};
const uses = (world: World) =>
  rows(world, "SELECT tool_use_id, packed IS NOT NULL AS packed FROM tool_uses ORDER BY created_at");

describe("disk usage", () => {
  it("is reported by c-mem stats --size, by table and folder", async () => {
    const world = createWorld();
    await recordSessions(world, [1]);
    await run(world, ["backup", "create"]);
    const report = await data(world, ["stats", "--size"]);
    const { database, folders, total } = report as unknown as {
      database: { bytes: number; used: number; free: number; log: number; tables: { name: string; bytes: number }[] };
      folders: { name: string; files: number; bytes: number }[];
      total: number;
    };
    expect(database.tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["tool_uses", "tool_uses_fts", "prompts_trigram", "tool_uses_by_turn"]),
    );
    const sum = database.tables.reduce((all, { bytes }) => all + bytes, 0);
    // SQLite's pointer-map pages belong to no table.
    expect(database.used - sum).toBeGreaterThanOrEqual(0);
    expect(database.used - sum).toBeLessThanOrEqual(4096 * 4);
    expect(folders.find(({ name }) => name === "backups")).toMatchObject({ files: 1 });
    expect(total).toBe(database.bytes + database.log + folders.reduce((all, { bytes }) => all + bytes, 0));
    expect((await run(world, ["stats", "--size"])).stdout).toContain("free pages");
  });

  it("is reduced by c-mem purge according to the user's settings only", async () => {
    const world = createWorld();
    await recordSessions(world, [400, 40, 2]);
    const nothing = await run(world, ["purge", "--yes"]);
    expect([nothing.status, nothing.stderr]).toEqual([4, expect.stringContaining("retentionEvidenceDays")]);
    configure(world, { retentionEvidenceDays: 365 });
    const plan = await data(world, ["purge", "--dry-run"]);
    expect(plan).toMatchObject({ applied: false, sessions: [{ session_id: "aged-400" }], observations: 0 });
    expect((await run(world, ["purge"])).status).not.toBe(0);
    expect(await uses(world)).toHaveLength(3);
    expect(await data(world, ["purge", "--yes"])).toMatchObject({ applied: true, sessions: 1 });
    expect(await uses(world)).toHaveLength(2);
    expect((await run(world, ["purge", "--yes"])).stdout).toContain("Nothing is beyond the retention limits");
    for (const command of [
      ["list", "--all"],
      ["search", "lamp", "--all"],
      ["show", "aged-400"],
      ["timeline", "--all"],
      ["doctor", "--deep"],
    ]) {
      expect([command, (await run(world, command)).stderr]).toEqual([command, expect.not.stringContaining("    at ")]);
    }
    // Settings of a project or the environment do not count.
    expect((await run(world, ["purge", "--yes"], { env: { C_MEM_RETENTION_EVIDENCE_DAYS: "1" } })).stdout).toContain(
      "Nothing is beyond the retention limits",
    );
  });

  it("above the limit with nothing old enough to delete is reported", async () => {
    const world = createWorld();
    await recordSessions(world, [400, 0]);
    const db = new DatabaseSync(join(world.home, "c-mem.db"));
    db.prepare("UPDATE prompts SET text = ? WHERE prompt_id = 'p-0'").run("lamp ".repeat(400_000));
    db.close();
    configure(world, { retentionMaxMb: 1 });
    const said = "The database is still larger than retentionMaxMb, but nothing more can be deleted";
    const first = await run(world, ["purge", "--yes"]);
    expect([first.stdout, first.stderr]).toEqual([
      expect.stringContaining("the evidence of 1 session"),
      expect.stringContaining(said),
    ]);
    expect((await run(world, ["purge", "--yes"])).stdout).toContain(said);
  });

  it("is not affected by rules for a misspelt project, which purge and doctor report", async () => {
    const world = createWorld();
    await recordSessions(world, [40]);
    const settings = { retentionEvidenceDays: 30, retentionProjects: { projekt: "0" } };
    writeFileSync(join(world.home, "config.json"), JSON.stringify(settings));
    const said = 'retentionProjects: there is no project "projekt"; the general limits apply.';
    expect((await run(world, ["purge", "--dry-run"])).stderr).toContain(said);
    expect((await run(world, ["doctor"])).stdout).toContain(`warn  retention: ${said}`);
  });

  it("of backups is unchanged by a purge; forgetting deletes from them, too", async () => {
    const world = createWorld();
    await recordSessions(world, [400, 2]);
    await run(world, ["backup", "create"]);
    configure(world, { retentionEvidenceDays: 365 });
    await run(world, ["purge", "--yes"]);
    const backups = join(world.home, "backups");
    const hasText = (words: string) =>
      readdirSync(backups).some((name) => readFileSync(join(backups, name)).includes(words));
    expect([hasText("lamp 400 shines"), hasText("lamp 2 shines")]).toEqual([true, true]);
    expect((await run(world, ["forget", "no such lamp", "--yes", "--all"])).status).toBe(4);
    const forgotten = await run(world, ["forget", "lamp 400 shines", "--yes", "--all"]);
    expect([forgotten.status, forgotten.stdout]).toEqual([0, expect.stringContaining("removed from 1 backup")]);
    expect(forgotten.stdout).not.toMatch(/^ +which/m);
    // Tombstones of the backup's rows: importing an export of that time does not bring them back.
    expect(forgotten.stdout).toMatch(/^ +tombstones +\d+ hashes/m);
    expect([hasText("lamp 400 shines"), hasText("lamp 2 shines")]).toEqual([false, true]);
    expect((await run(world, ["forget", "aged-400", "--yes", "--all"])).status).toBe(0);
    expect([hasText("repair lamp 400"), hasText("repair lamp 2")]).toEqual([false, true]);
  });

  it("is reduced by the worker, which compresses old outputs and applies the retention settings", async () => {
    const world = createWorld();
    await recordSessions(world, [400, 40, 2]);
    configure(world, { retentionEvidenceDays: 365, backupsDaily: 0 });
    await run(world, ["worker", "run", "--once"]);
    expect(await uses(world)).toEqual([
      { tool_use_id: "t-40", packed: 1 },
      { tool_use_id: "t-2", packed: 0 },
    ]);
    const log = readFileSync(join(world.home, "logs", "worker.log"), "utf8");
    expect(log).toContain("compressed 1 old tool output");
    expect(log).toContain("deleted the evidence of 1 session");
    expect((await run(world, ["show", "aged-40", "--tools"])).stdout).toContain("lamp 40 shines");
    expect((await run(world, ["forget", "lamp 40 shines", "--yes", "--all"])).stdout).toContain("Forgotten.");
    expect(await uses(world)).toEqual([{ tool_use_id: "t-2", packed: 0 }]);
  });
});
