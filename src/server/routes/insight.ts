// How much there is, what it took, what it came to.
import * as z from "zod";
import { answerCost } from "../../queries/cost.ts";
import { answerImpact } from "../../queries/impact.ts";
import { answerStats } from "../../queries/stats.ts";
import { route } from "../route.ts";
import { count, scope, timeOrNull, where, word } from "../schemas/common.ts";

const files = () => z.strictObject({ files: count(), bytes: count() });

const share = () =>
  z.strictObject({ name: z.string(), key: z.string(), sessions: count(), prompts: count(), tool_uses: count() });

export const STATS = route({
  method: "get",
  path: "/api/stats",
  command: "stats",
  tag: "insight",
  about: "How much was done: totals; by agent, project, tool, month; by day, project and agent; sizes on disk.",
  query: z.strictObject(scope),
  reply: () => ({
    data: z.strictObject({
      totals: z.strictObject({
        sessions: count(),
        subagents: count(),
        prompts: count(),
        messages: count(),
        tool_uses: count(),
        failed_tool_uses: count(),
        files_changed: count(),
        lines_added: count(),
        lines_removed: count(),
        commits: count(),
        input_tokens: count().nullable(),
        output_tokens: count().nullable(),
        cache_read_tokens: count().nullable(),
        cache_write_tokens: count().nullable(),
        first_at: timeOrNull(),
        last_at: timeOrNull(),
      }),
      by_agent: z.array(share()),
      by_project: z.array(share()),
      by_tool: z.array(z.strictObject({ name: z.string(), uses: count(), failed: count(), failure_rate: z.number() })),
      by_month: z.array(share()),
      by_day: z.array(
        z.strictObject({
          day: z.string(),
          project: z.string(),
          project_key: z.string(),
          agent: z.string(),
          sessions: count(),
          prompts: count(),
          tool_uses: count(),
          bytes: count().meta({ description: "of what was recorded, as it is stored" }),
        }),
      ),
      database: z.strictObject({ bytes: count() }),
      archive: files(),
      backups: files(),
      models: files(),
    }),
    meta: z.strictObject({ where }),
  }),
  isSlow: true,
  run: ({ asked }) => answerStats(asked),
});

const cost = () =>
  z.strictObject({
    name: z.string(),
    requests: count(),
    failed: count(),
    estimated: count(),
    unsettled: count(),
    declined: count(),
    input_tokens: count(),
    output_tokens: count(),
    unpriced: count(),
    cost_usd: z.number(),
  });

export const COST = route({
  method: "get",
  path: "/api/cost",
  command: "cost",
  tag: "insight",
  about: "What models took, by day, project, provider and model.",
  query: z.strictObject({ project: scope.project, all: scope.all, days: word("the last days (default: 30)") }),
  reply: () => ({
    data: z.strictObject({
      total: cost(),
      by_day: z.array(cost()),
      by_project: z.array(cost()),
      by_provider: z.array(cost()),
      by_model: z.array(cost()),
    }),
    meta: z.strictObject({ where, days: count(), since: z.string() }),
  }),
  run: ({ asked }) => answerCost(asked),
});

export const IMPACT = route({
  method: "get",
  path: "/api/impact",
  command: "impact",
  tag: "insight",
  about: "What memory was shown to agents, what of it was used, and the tokens it took.",
  query: z.strictObject(scope),
  reply: () => ({
    data: z.strictObject({
      surfaces: z.array(
        z.strictObject({
          surface: z.string(),
          injections: count(),
          sessions: count(),
          items: count(),
          used: count(),
          items_used: count(),
          tokens: count(),
        }),
      ),
      holdout: z.array(
        z.strictObject({
          group: z.enum(["with", "without"]),
          sessions: count(),
          turns: z.number(),
          rereads: z.number(),
          failures: z.number(),
        }),
      ),
    }),
    meta: z.strictObject({ where }),
  }),
  run: ({ asked }) => answerImpact(asked),
});
