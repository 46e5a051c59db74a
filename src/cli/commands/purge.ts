// c-mem purge: deletes data beyond the retention limits.
import { setTimeout } from "node:timers/promises";
import { loadSettings } from "../../config/load.ts";
import { resolvePaths } from "../../config/paths.ts";
import type { Settings } from "../../config/schema.ts";
import { AppError } from "../../core/error.ts";
import { localDay } from "../../core/time.ts";
import {
  isRetentionSet,
  planPurge,
  purge,
  type Purged,
  type PurgePlan,
  type PurgeStep,
  ruleProblems,
} from "../../upkeep/retention/retention.ts";
import type { Db } from "../../store/db/driver.ts";
import { relaxDurability } from "../../store/db/open.ts";
import { fileSize } from "../../store/db/disk-usage.ts";
import { LOCK_HOLD_MS, LOCK_PAUSE_MS } from "../../store/db/transaction.ts";
import { askYesNo } from "../prompts.ts";
import { EXIT, print, printJson, say } from "../output.ts";
import { iso } from "../../core/time.ts";
import { count } from "../../core/text.ts";
import { bytes } from "../../platform/terminal/style.ts";
import { type Progress, startProgress } from "../progress.ts";
import { withStoreAsync } from "../store.ts";
import { defineCommand, DRY_RUN, YES } from "../command.ts";
import { fields, type InputOf } from "../../queries/fields.ts";

const FIELDS = fields({
  ...YES,
  ...DRY_RUN,
});

export const command = defineCommand({
  about: "delete data beyond your retention limits",
  needsStore: true,
  fields: FIELDS,
  run,
  details: "Pinned and hand-written observations stay.",
});

type Input = InputOf<typeof FIELDS>;

function run(input: Input, { json }: { json: boolean }): Promise<number> {
  const paths = resolvePaths(process.env);
  const settings = loadSettings({ user: paths.config }, process.env).values;
  if (!isRetentionSet(settings)) {
    throw new AppError("nothing_found", "The settings keep everything.", {
      hint: "E.g. c-mem config set retentionEvidenceDays 365, or retentionMaxMb 2000; then c-mem purge --dry-run",
    });
  }
  return withStoreAsync(paths, async (db) => {
    const plan = planPurge(db, settings, Date.now());
    for (const problem of ruleProblems(db, settings)) say(problem);
    if (plan.sessions.length + plan.observations === 0) {
      if (json) printJson("purge", { applied: false, ...planJson(plan) });
      else print(isOver(db, settings) ? NOTHING_MORE : "Nothing is older or more than the settings keep.");
      return EXIT.ok;
    }
    const isDry = input.dryRun;
    if (!json || !isDry) say(planText(plan, isDry ? "This would go:" : "This will go:"));
    if (isDry) {
      if (json) printJson("purge", { applied: false, ...planJson(plan) });
      return EXIT.ok;
    }
    if (!input.yes && !(await askYesNo("Delete it?", { isDestructive: true }))) {
      say("Nothing was changed.");
      return EXIT.failure;
    }
    const before = fileSize(db).bytes;
    // After a power cut, the next purge deletes it again.
    relaxDurability(db);
    const purged = await carryOut(purge(db, settings, Date.now(), { mayVacuum: true }), json);
    const freed = Math.max(0, before - fileSize(db).bytes);
    if (purged === undefined) {
      say(`Interrupted. What is gone is gone (${bytes(freed)} given back); \`c-mem purge\` goes on with the rest.`);
      return EXIT.interrupted;
    }
    if (json) printJson("purge", { applied: true, ...purged, bytes_freed: freed });
    else
      print(
        `Taken out: the evidence of ${count(purged.sessions, "session")}, ${count(purged.observations, "observation")}; ${bytes(freed)} given back.`,
      );
    if (isOver(db, settings)) say(NOTHING_MORE);
    return EXIT.ok;
  });
}

const NOTHING_MORE =
  "The database is larger than retentionMaxMb says, but nothing more can go: the rest is of the last day, of projects that keep everything, or memory.";

function isOver(db: Db, { retentionMaxMb }: Settings): boolean {
  return retentionMaxMb > 0 && fileSize(db).used > retentionMaxMb * MB;
}

const MB = 1024 * 1024;

/** Shows progress; undefined if interrupted. */
async function carryOut(steps: Generator<PurgeStep, Purged>, isQuiet: boolean): Promise<Purged | undefined> {
  let isInterrupted = false;
  const stop = (): void => void (isInterrupted = true);
  process.once("SIGINT", stop);
  let letGoAt = performance.now();
  let shown: { progress: Progress; phase: string; done: number } | undefined;
  try {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      const { phase, done, total } = step.value;
      if (shown?.phase !== phase || done < shown.done) {
        shown?.progress.end();
        shown = { progress: startProgress(total, isQuiet, { about: phase }), phase, done: 0 };
      }
      shown.progress.add(done - shown.done);
      shown.done = done;
      if (performance.now() - letGoAt < LOCK_HOLD_MS) continue;
      // Lets others write, and a Ctrl-C be heard.
      await setTimeout(LOCK_PAUSE_MS);
      letGoAt = performance.now();
      if (isInterrupted) return undefined;
    }
  } finally {
    shown?.progress.end();
    process.off("SIGINT", stop);
  }
}

function planText({ sessions, observations, bytes: size }: PurgePlan, lead: string): string {
  const [oldest, newest] = [sessions[0], sessions.at(-1)];
  const span =
    oldest && newest ? ` (${localDay(oldest.last_at)} to ${localDay(newest.last_at)}, about ${bytes(size)})` : "";
  return [
    lead,
    `  what happened in ${count(sessions.length, "session")}${span}; what was learnt of them stays`,
    `  ${count(observations, "observation")} (pinned, written, reworded and imported ones stay)`,
  ].join("\n");
}

function planJson({ sessions, observations, bytes: size }: PurgePlan): Record<string, unknown> {
  return {
    sessions: sessions.map(({ session_id, project, last_at, bytes: one }) => ({
      session_id,
      project,
      last_at: iso(last_at),
      bytes: one,
    })),
    observations,
    bytes: size,
  };
}
