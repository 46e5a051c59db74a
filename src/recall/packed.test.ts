import { describe, expect, it } from "vitest";
import { deriveSession, rebuildMemory } from "../memory/derive.ts";
import type { Db } from "../store/db/driver.ts";
import { exportRows } from "../store/reads/export-rows.ts";
import { findItemsContaining } from "../upkeep/erase/rows-containing.ts";
import { packOutputs } from "../store/tables/tool-uses.ts";
import { rebuildSearchIndex, updateSearchIndex } from "../store/fts/search-index.ts";
import { sizeByTable } from "../store/db/disk-usage.ts";
import { bestUses } from "../store/fts/tool-search.ts";
import { shellCommands } from "../store/tables/tool-uses.ts";
import { bash, DAY, ended, prompt, type Seeded, seedStore, START } from "../../test/seed.ts";
import { resolveSession } from "./search/find-session.ts";
import { readTranscript } from "./history/transcript.ts";

const NOW = START + 400 * DAY;
const one = (db: Db, sql: string): number => db.get<{ n: number }>(sql)?.n ?? 0;

function grow({ db, add }: Seeded): void {
  for (let index = 0; index < 20; index++) {
    const id = `app-${index}`;
    add(id, prompt(`please fix lamp ${index}`), { at: START + index * DAY });
    add(id, bash(`npm test lamp-${index}`, words(index), index % 2));
    add(id, ended(`lamp ${index} is fixed`));
  }
  for (const { id } of db.all<{ id: number }>("SELECT id FROM sessions")) deriveSession(db, id, NOW);
  updateSearchIndex(db);
}

function words(seed: number): string {
  const lines = Array.from(
    { length: 80 },
    (_, index) => `${(seed + 1) * 7_919 * (index + 3)} passed in src/lamp-${index % 17}.ts`,
  );
  return [`output of ${seed}`, ...lines].join("\n");
}

describe("a compressed tool output", () => {
  it("reads the same everywhere and uses less disk space", () => {
    const seeded = seedStore();
    const { db } = seeded;
    grow(seeded);
    const read = (): unknown => {
      return {
        transcript: readTranscript(db, resolveSession(db, "app-3", () => ({})).session),
        commands: shellCommands(db, [1, 2, 3], 50),
        found: bestUses(db, ["passed"], {}, 5).uses.map(({ id, output }) => [id, output]),
        holding: findItemsContaining(db, "output of 7", undefined),
        exported: [...exportRows(db)].filter(({ table }) => table === "tool_uses").map(({ row }) => ({ ...row })),
        memory: db.all(
          "SELECT title, narrative, content_hash FROM observations WHERE is_current = 1 ORDER BY content_hash, id",
        ),
      };
    };
    const before = read();
    const tableBytes = (): number => sizeByTable(db).find(({ name }) => name === "tool_uses")?.bytes ?? 0;
    const bytes = tableBytes();
    expect(packOutputs(db, START + 10 * DAY)).toBe(10);
    while (packOutputs(db, NOW) > 0);
    expect(one(db, "SELECT count(*) AS n FROM tool_uses WHERE packed IS NULL")).toBe(0);
    expect(read()).toEqual(before);
    db.exec("VACUUM");
    expect(tableBytes()).toBeLessThan(bytes / 2);
    const rebuild = rebuildMemory(db, { now: NOW });
    while (!rebuild.next().done);
    rebuildSearchIndex(db);
    expect(read()).toEqual(before);
    db.close();
  });
});
