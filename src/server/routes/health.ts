// How it is: settings, checks, background work, logs.
import * as z from "zod";
import { checkHealth } from "../../health/health.ts";
import { answerSettings } from "../../queries/settings.ts";
import { SETTING_KEYS } from "../../config/schema.ts";
import { route } from "../route.ts";
import { flag, textOrNull } from "../schemas/common.ts";

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
