// c-mem rebuild: derives observations and summaries again.
import { setImmediate } from "node:timers/promises";
import { resolvePaths } from "../../config/paths.ts";
import { type Rebuilt, rebuildMemory } from "../../memory/derive.ts";
import type { Db } from "../../store/db/driver.ts";
import { memoryCounts } from "../../store/tables/observations.ts";
import { relaxDurability } from "../../store/db/open.ts";
import { EXIT, print, printJson } from "../output.ts";
import { count } from "../../core/text.ts";
import { startProgress } from "../progress.ts";
import { readScope, SCOPE } from "../../queries/scope.ts";
import { withStoreAsync } from "../store.ts";
import { defineCommand } from "../command.ts";
import { fields, type InputOf } from "../../queries/fields.ts";

const FIELDS = fields({
  project: SCOPE.project,
  all: SCOPE.all,
  quiet: { kind: "flag", short: "q", about: "print nothing unless something fails" },
});

export const command = defineCommand({
  about: "derive observations and summaries again",
  needsStore: true,
  fields: FIELDS,
  run,
  details: "Your own notes, edits and pins stay as they are.",
});

type Input = InputOf<typeof FIELDS>;

async function run(input: Input, { json }: { json: boolean }): Promise<number> {
  const env = process.env;
  const paths = resolvePaths(env);
  return withStoreAsync(paths, async (db) => {
    const { scope, where } = readScope(input, { db, paths, env, cwd: process.cwd() });
    relaxDurability(db);
    const { rebuilt, isInterrupted } = await rebuildAll(db, scope.projectId, input.quiet || json);
    const now = memoryCounts(db, scope.projectId);
    const data = {
      project: where,
      ...rebuilt,
      observations: now.observations,
      summaries: now.summaries,
      interrupted: isInterrupted,
    };
    if (json) printJson("rebuild", data);
    else if (!input.quiet || isInterrupted) {
      print(
        `${where}: ${count(rebuilt.turns, "turn")} of ${count(rebuilt.sessions, "session")} derived again, ${rebuilt.changed} changed; ` +
          `${count(now.observations, "observation")}, ${now.summaries.toLocaleString("en")} summaries.`,
      );
    }
    return isInterrupted ? EXIT.interrupted : EXIT.ok;
  });
}

/** After an interruption the rest stays marked, and the next process derives it. */
async function rebuildAll(
  db: Db,
  projectId: number | undefined,
  isQuiet: boolean,
): Promise<{ rebuilt: Rebuilt; isInterrupted: boolean }> {
  let isInterrupted = false;
  const stop = (): void => {
    isInterrupted = true;
  };
  process.once("SIGINT", stop);
  const work = rebuildMemory(db, { projectId, now: Date.now() });
  let rebuilt: Rebuilt = { sessions: 0, turns: 0, changed: 0 };
  let progress: ReturnType<typeof startProgress> | undefined;
  for (;;) {
    const step = work.next();
    const before = rebuilt.turns;
    rebuilt = step.done ? step.value : step.value.soFar;
    if (step.done || isInterrupted) break;
    progress ??= startProgress(step.value.total, isQuiet, {
      show: (amount) => Math.round(amount).toLocaleString("en"),
    });
    progress.add(rebuilt.turns - before);
    // Lets a Ctrl-C be heard.
    await setImmediate();
  }
  progress?.end();
  process.off("SIGINT", stop);
  return { rebuilt, isInterrupted };
}
