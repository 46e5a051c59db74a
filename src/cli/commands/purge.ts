// c-mem purge: deletes data beyond the retention limits.
import { userSettings } from "../../config/load.ts";
import type { Settings } from "../../config/schema.ts";
import { AppError } from "../../core/error.ts";
import { localDay } from "../../core/time.ts";
import { isRetentionSet, planPurge, purge, type PurgePlan, ruleProblems } from "../../upkeep/retention/retention.ts";
import type { Db } from "../../store/db/driver.ts";
import { relaxDurability } from "../../store/db/open.ts";
import { fileSize } from "../../store/db/disk-usage.ts";
import { LOCK_PAUSE_MS } from "../../store/db/transaction.ts";
import { askYesNo } from "../prompts.ts";
import { EXIT, printJson, respond, say } from "../output.ts";
import { iso } from "../../core/time.ts";
import { count } from "../../core/text.ts";
import { bytes } from "../../platform/terminal/style.ts";
import { runSteps, startProgress } from "../progress.ts";
import { withStore } from "../store.ts";
import { defineCommand, DRY_RUN, YES } from "../command.ts";

export const command = defineCommand({
  about: "delete data beyond your retention limits",
  needsStore: true,
  fields: {
    ...YES,
    ...DRY_RUN,
  },
  details: "Pinned and hand-written observations stay.",
  run({ yes, dryRun }, { json, paths, env }) {
    const settings = userSettings(paths, env);
    if (!isRetentionSet(settings)) {
      throw new AppError("nothing_found", "No retention limit is set.", {
        hint: "Example: c-mem config set retentionEvidenceDays 365, then c-mem purge --dry-run",
      });
    }
    return withStore(paths, async (db) => {
      const plan = planPurge(db, settings, Date.now());
      const data = { applied: false, ...planJson(plan) };
      for (const problem of ruleProblems(db, settings)) say(problem);
      if (plan.sessions.length + plan.observations === 0) {
        const text = isOver(db, settings) ? NOTHING_MORE : "Nothing is beyond the retention limits.";
        return respond("purge", { json, data, text });
      }
      if (!json || !dryRun) say(planText(plan, dryRun ? "This would be deleted:" : "This will be deleted:"));
      if (dryRun) {
        if (json) printJson("purge", data);
        return EXIT.ok;
      }
      if (!yes && !(await askYesNo("Delete it?", { isDestructive: true }))) {
        say("Nothing was changed.");
        return EXIT.failure;
      }
      const before = fileSize(db).bytes;
      // The next purge deletes rows that reappear after a power cut.
      relaxDurability(db);
      const { result: purged } = await runSteps(purge(db, settings, Date.now(), { mayVacuum: true }), {
        progress: startProgress(json),
        stepOf: (step) => step,
        pauseMs: LOCK_PAUSE_MS,
      });
      const freed = Math.max(0, before - fileSize(db).bytes);
      if (purged === undefined) {
        say(`Interrupted after freeing ${bytes(freed)}. \`c-mem purge\` deletes the rest.`);
        return EXIT.interrupted;
      }
      const { sessions, observations } = purged;
      const text = `Deleted the evidence of ${count(sessions, "session")} and ${count(observations, "observation")}; freed ${bytes(freed)}.`;
      respond("purge", { json, data: { applied: true, ...purged, bytes_freed: freed }, text });
      if (isOver(db, settings)) say(NOTHING_MORE);
      return EXIT.ok;
    });
  },
});

const NOTHING_MORE =
  "The database is still larger than retentionMaxMb, but nothing more can be deleted: the rest is from the last day, from projects that keep everything, or derived memory.";

function isOver(db: Db, { retentionMaxMb }: Settings): boolean {
  return retentionMaxMb > 0 && fileSize(db).used > retentionMaxMb * MB;
}

const MB = 1024 * 1024;

function planText({ sessions, observations, bytes: size }: PurgePlan, lead: string): string {
  const [oldest, newest] = [sessions[0], sessions.at(-1)];
  const span =
    oldest && newest ? ` (${localDay(oldest.last_at)} to ${localDay(newest.last_at)}, about ${bytes(size)})` : "";
  return [
    lead,
    `  the evidence of ${count(sessions.length, "session")}${span} (prompts, messages, tool uses); observations and summaries stay`,
    `  ${count(observations, "observation")} (pinned, edited, imported and your own ones stay)`,
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
