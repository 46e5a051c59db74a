// c-mem rebuild: derives observations and summaries again, by the extractor or by the configured model.
import { userSettings } from "../../config/load.ts";
import { nothingFound, usageError } from "../../core/error.ts";
import { count, withCommas } from "../../core/text.ts";
import { parseTime } from "../../core/time.ts";
import { missingPart, modelAccess, openProvider } from "../../llm/providers.ts";
import { rebuildMemory } from "../../memory/derive.ts";
import { type Estimate, estimateEnrich } from "../../memory/enrich/estimate.ts";
import { usd } from "../../queries/cost.ts";
import { readScope, SCOPE } from "../../queries/scope.ts";
import type { Db } from "../../store/db/driver.ts";
import { relaxDurability } from "../../store/db/open.ts";
import { isCopiedTurn } from "../../store/reads/copied-turns.ts";
import { enqueueModelJobsNow, enqueueTurns, unsentTurns } from "../../store/tables/model-turns.ts";
import { memoryCounts } from "../../store/tables/observations.ts";
import { transaction } from "../../store/db/transaction.ts";
import { type Invocation, defineCommand, YES } from "../command.ts";
import { EXIT, respond, say } from "../output.ts";
import { runSteps, startProgress } from "../progress.ts";
import { askYesNo, canAsk } from "../prompts.ts";
import { withStore } from "../store.ts";

export const command = defineCommand({
  about: "derive observations and summaries again",
  needsStore: true,
  fields: {
    project: SCOPE.project,
    all: SCOPE.all,
    withModel: { kind: "flag", about: "send turns to the configured model, after an estimate" },
    since: { ...SCOPE.since, about: "with --with-model: turns from this time on: 2026-01-31, 3d, 2w" },
    ...YES,
    quiet: { kind: "flag", short: "q", about: "print nothing unless something fails" },
  },
  details: "Your own notes, edits and pins stay as they are.",
  run({ quiet, withModel, since, yes, ...input }, context) {
    const { json, paths, env } = context;
    if (since !== undefined && !withModel)
      throw usageError("--since needs --with-model.", "c-mem rebuild --with-model");
    if (since === undefined && withModel)
      throw usageError("--since is missing.", "c-mem rebuild --with-model --since 2w");
    const from = since === undefined ? undefined : parseTime(since, Date.now());
    return withStore(paths, async (db) => {
      const { scope, where } = readScope(input, { db, paths, env, cwd: process.cwd() });
      if (from !== undefined) {
        const { projectId } = scope;
        return sendToModel(db, { projectId, where, since: from, said: since ?? "", yes, quiet }, context);
      }
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

interface ModelRun {
  projectId: number | undefined;
  where: string;
  since: number;
  /** The time as typed: "2w". */
  said: string;
  yes: boolean;
  quiet: boolean;
}

/** Shows the estimate, and enqueues the turns if the user agrees. The worker sends them within the daily limits. */
async function sendToModel(
  db: Db,
  { projectId, where, since, said, yes, quiet }: ModelRun,
  { json, paths, env }: Invocation,
): Promise<number> {
  const settings = userSettings(paths, env);
  const access = modelAccess(settings, env);
  const provider = openProvider(settings, env);
  if (access === undefined || provider === undefined) {
    throw usageError("No model is configured.", "c-mem config set provider claude, or another provider");
  }
  const missing = missingPart(access);
  if (missing !== undefined) throw usageError(`${missing.what}.`, `${missing.fix}.`);
  const now = Date.now();
  const producer = `${provider.name}/${provider.model}`;
  const found = unsentTurns(db, { projectId, since, producer });
  const turns = found.filter(({ id }) => !isCopiedTurn(db, id));
  if (turns.length === 0)
    throw nothingFound(`Nothing to send: ${producer} has seen every turn of ${where} since ${said}.`);
  const estimate = estimateEnrich(db, provider, settings, turns);
  const days = Math.ceil((estimate.inputTokens + estimate.outputTokens) / Math.max(1, settings.tokensPerDay));
  const data = { project: where, producer, ...estimateJson(estimate), days, enqueued: false };
  if (!quiet && !(json && yes)) say(estimateText(where, producer, estimate, days));
  if (!yes && !canAsk()) {
    if (!json) say("Nothing was sent. Add --yes to send it.");
    else respond("rebuild", { json, data, text: "" });
    return EXIT.ok;
  }
  if (!yes && !(await askYesNo("Send it?", { isDestructive: true }))) {
    say("Nothing was sent.");
    return EXIT.failure;
  }
  transaction(db, () => {
    enqueueTurns(
      db,
      turns.map(({ id }) => id),
      now,
    );
    for (const [order, id] of [...new Set(turns.map((turn) => turn.session_db_id))].entries())
      enqueueModelJobsNow(db, id, { order, now });
  });
  const text = `${count(turns.length, "turn")} enqueued. \`c-mem status\` shows the progress, \`c-mem cost\` the cost.`;
  if (json || !quiet) respond("rebuild", { json, data: { ...data, enqueued: true }, text });
  return EXIT.ok;
}

function estimateJson({ costMicroUsd, inputTokens, outputTokens, ...rest }: Estimate) {
  return {
    ...rest,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_usd: costMicroUsd === undefined ? null : costMicroUsd / 1e6,
  };
}

function estimateText(where: string, producer: string, estimate: Estimate, days: number): string {
  const { turns, sessions, requests, inputTokens, outputTokens, costMicroUsd } = estimate;
  const price = costMicroUsd === undefined ? "at an unknown price" : `about ${usd(costMicroUsd / 1e6)}`;
  return [
    `${where}: ${count(turns, "turn")} of ${count(sessions, "session")} would be sent to ${producer}.`,
    `Estimate: ${count(requests, "request")}, ${withCommas(inputTokens)} tokens in, ${withCommas(outputTokens)} out, ${price}.`,
    days > 1
      ? `With today's daily limit of tokens this takes ${days} days.`
      : "This is within the daily limit of tokens.",
  ].join("\n");
}
