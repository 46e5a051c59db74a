// c-mem rebuild: derives observations and summaries again.
import { rebuildMemory } from "../../memory/derive.ts";
import { memoryCounts } from "../../store/tables/observations.ts";
import { relaxDurability } from "../../store/db/open.ts";
import { EXIT, respond } from "../output.ts";
import { count, withCommas } from "../../core/text.ts";
import { runSteps, startProgress } from "../progress.ts";
import { readScope, SCOPE } from "../../queries/scope.ts";
import { withStore } from "../store.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  about: "derive observations and summaries again",
  needsStore: true,
  fields: {
    project: SCOPE.project,
    all: SCOPE.all,
    quiet: { kind: "flag", short: "q", about: "print nothing unless something fails" },
  },
  details: "Your own notes, edits and pins stay as they are.",
  run({ quiet, ...input }, { json, paths, env }) {
    return withStore(paths, async (db) => {
      const { scope, where } = readScope(input, { db, paths, env, cwd: process.cwd() });
      relaxDurability(db);
      // After an interruption the next process derives the rest.
      const { result, last } = await runSteps(rebuildMemory(db, { projectId: scope.projectId, now: Date.now() }), {
        progress: startProgress(quiet || json, (turns) => withCommas(Math.round(turns))),
        stepOf: ({ soFar, total }) => ({ done: soFar.turns, total }),
      });
      const isInterrupted = result === undefined;
      const { sessions, turns, changed } = result ?? last?.soFar ?? { sessions: 0, turns: 0, changed: 0 };
      const { observations, summaries } = memoryCounts(db, scope.projectId);
      const text =
        `${where}: ${count(turns, "turn")} of ${count(sessions, "session")} derived again, ${changed} changed; ` +
        `${count(observations, "observation")}, ${withCommas(summaries)} summaries.`;
      const data = { project: where, sessions, turns, changed, observations, summaries, interrupted: isInterrupted };
      if (json || !quiet || isInterrupted) respond("rebuild", { json, data, text });
      return isInterrupted ? EXIT.interrupted : EXIT.ok;
    });
  },
});
