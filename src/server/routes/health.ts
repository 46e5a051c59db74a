// How it is: settings, checks, background work, logs.
import * as z from "zod";
import { checkHealth } from "../../health/health.ts";
import { answerSettings } from "../../queries/settings.ts";
import { answerLogs, answerWorker } from "../../queries/worker.ts";
import { SETTING_KEYS } from "../../config/schema.ts";
import { route } from "../route.ts";
import { count, flag, listOf, textOrNull, timeOrNull, word } from "../schemas/common.ts";

export const described = () =>
  z.strictObject({
    key: z.enum(SETTING_KEYS),
    value: z.unknown(),
    source: z.enum(["environment", "project", "user", "default"]),
    default: z.unknown(),
    environment: textOrNull(),
    about: z.string(),
    min: z.number().nullable(),
    max: z.number().nullable(),
    one_of: z.array(z.string()).nullable(),
  });

export const SETTINGS_ROUTE = route({
  method: "get",
  path: "/api/settings",
  command: "config",
  tag: "settings",
  about: "Every setting: its value, where that came from, its default and what it does.",
  reply: () => ({
    data: z.strictObject({
      results: z.array(described()),
      problems: z.array(z.string()),
      files: z.strictObject({ user: z.string(), project: z.array(z.string()) }),
    }),
  }),
  run: ({ asked }) => answerSettings(asked),
});

export const JOBS = route({
  method: "get",
  path: "/api/jobs",
  command: "worker",
  tag: "health",
  about: "The worker, what waits for it and what is in trouble.",
  reply: () => ({
    data: z.strictObject({
      running: z.boolean(),
      pid: z.int().nullable(),
      version: textOrNull(),
      started_at: timeOrNull(),
      last_beat: timeOrNull(),
      jobs: z.strictObject({ pending: count(), running: count(), failed: count() }),
      spool: z.strictObject({ waiting: count(), bad: count() }),
      troubled: z.array(
        z.strictObject({
          key: z.string(),
          status: z.string(),
          attempts: count(),
          last_error: textOrNull(),
          next_try: timeOrNull(),
        }),
      ),
      log: z.string(),
      port: z.int().nullable(),
    }),
  }),
  run: ({ asked }) => answerWorker(asked),
});

export const HEALTH = route({
  looksElsewhere: true,
  method: "get",
  path: "/api/health",
  command: "doctor",
  tag: "health",
  about: "Every check of `c-mem doctor`, and how to mend what fails.",
  query: z.strictObject({ deep: flag("also reads the whole database to see that it is whole") }),
  reply: () => ({
    data: z.strictObject({
      results: z.array(
        z.strictObject({
          name: z.string(),
          state: z.enum(["ok", "warn", "fail"]),
          message: z.string(),
          fix: z.string().optional(),
        }),
      ),
      healthy: z.boolean(),
    }),
  }),
  isSlow: true,
  run: ({ asked: { paths, env, flags } }) => {
    const results = checkHealth(paths, env, { now: Date.now(), deep: flags["deep"] === true });
    return { data: { results, healthy: results.every((check) => check.state !== "fail") } };
  },
});

export const LOGS = route({
  method: "get",
  path: "/api/logs",
  command: "worker",
  tag: "health",
  about: "The last lines of the worker's log.",
  query: z.strictObject({ lines: word("how many (default: 20)") }),
  reply: () => ({ data: listOf(z.looseObject({ at: z.string(), pid: z.int(), message: z.string() })) }),
  run: ({ asked }) => answerLogs(asked),
});
