// Measures the size of compressed tool outputs, how long compressing a batch takes, and the time of backups, of
// releasing free pages and of repairs. Then runs the benchmark of a big store.
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { benchBigStore } from "./big-store.ts";
import { wallMs } from "./measure.ts";
import { type RealStore, withRealSessions } from "./real-sessions.ts";

const PAGE = 4096;

export async function benchSpace(): Promise<void> {
  await withRealSessions("space", benchOutputs);
  await benchBigStore();
}

async function benchOutputs({ db, home }: RealStore): Promise<void> {
  // Loaded here: these modules import SQL files, for which bench/main.ts first registers a loader.
  const { createBackup } = await import("../src/store/db/backup.ts");
  const { packOutputs } = await import("../src/store/tables/tool-uses.ts");
  const { releasePages, sizeByTable, fileSize } = await import("../src/store/db/disk-usage.ts");
  const { repairStore } = await import("../src/upkeep/backup/repair.ts");
  const { resolvePaths } = await import("../src/config/paths.ts");
  const paths = resolvePaths({ C_MEM_HOME: home });
  const table = (): number => sizeByTable(db).find(({ name }) => name === "tool_uses")?.bytes ?? 0;
  const before = { table: table(), all: fileSize(db).used };
  const outputs = db.get<{ n: number; bytes: number }>(
    "SELECT count(*) AS n, sum(length(output)) AS bytes FROM tool_uses WHERE length(output) > 1024",
  );
  const batches: number[] = [];
  for (let rows = 1; rows > 0;) {
    const start = performance.now();
    rows = packOutputs(db, Date.now());
    if (rows > 0) batches.push(performance.now() - start);
  }
  const packed = db.get<{ bytes: number }>("SELECT sum(length(packed)) AS bytes FROM tool_uses")?.bytes ?? 0;
  db.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
  console.log(
    `space: ${outputs?.n} outputs of ${mb(outputs?.bytes ?? 0)} take ${mb(packed)} (${ratio(packed, outputs?.bytes ?? 1)}); ` +
      `the table has ${ratio(table(), before.table)} and the database ${ratio(fileSize(db).used, before.all)} of its size before; ` +
      `${batches.length} batches, the longest ${Math.max(...batches).toFixed(0)} ms`,
  );
  db.get("PRAGMA wal_checkpoint(TRUNCATE)");
  const copyMs = wallMs(() => copyFileSync(paths.database, `${paths.database}.copy`));
  const backupMs = wallMs(() => createBackup(paths.database, "manual", Date.now()));
  rmSync(`${paths.database}.copy`);
  console.log(
    `space: a checked backup of ${mb(statSync(paths.database).size)} takes ${backupMs.toFixed(0)} ms, ${(backupMs / copyMs).toFixed(0)} times a plain copy`,
  );
  db.exec("DELETE FROM messages");
  const free = fileSize(db).free;
  const releaseMs = wallMs(() => {
    for (const _ of releasePages(db));
  });
  console.log(`space: ${mb(free)} released in ${releaseMs.toFixed(0)} ms`);
  db.close();
  const bytes = readFileSync(paths.database);
  writeFileSync(paths.database, bytes.fill(0x5a, PAGE * 10, PAGE * 14));
  const repairMs = wallMs(() => repairStore(paths, Date.now(), { settleMs: 0 }));
  console.log(`space: a repair from that backup and the readable rows takes ${repairMs.toFixed(0)} ms`);
}

function ratio(part: number, whole: number): string {
  return (part / whole).toFixed(2);
}

function mb(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
