// Who writes the memory: shows what a choice sends where before it is made, and makes it.
import { loadSettings } from "../config/load.ts";
import type { SettingKey } from "../config/schema.ts";
import { parseOrThrow, writeSettings } from "../config/write.ts";
import { usageError } from "../core/error.ts";
import type { JsonField } from "./fields.ts";
import { modelNotice } from "./provider-notice.ts";
import { defineQuery, type QueryContext, type Zod } from "./query.ts";
import { schemaOf } from "./schemas.ts";
import { findUsage } from "./usage-estimate.ts";

const KEYS = [
  "provider",
  "model",
  "baseUrl",
  "apiKeyEnv",
  "tokensPerDay",
  "tokensPerProjectAndDay",
  "usdPerDay",
  "usdPerProjectAndDay",
] as const satisfies readonly SettingKey[];

type Key = (typeof KEYS)[number];
type Changes = Partial<Record<Key, unknown>>;

const FIELDS = Object.fromEntries(
  KEYS.map((key) => [key, { kind: "json", about: `the setting ${key} (default: unchanged)` }] as const),
) as Record<Key, JsonField>;

const noticeOf = (z: Zod) => ({
  data: z.strictObject({
    notice: z.string().meta({ description: "what is sent where, the limits, and what is missing" }),
    usage: z.strictObject(schemaOf(z, { count: ["sessions", "tokens_per_day"] })).meta({
      description: "sessions of the last 14 days, and an estimate of the tokens that a model would take for such a day",
    }),
  }),
});

export const writerNotice = defineQuery({
  name: "config",
  about: "show what these model settings would send where",
  fields: FIELDS,
  http: { path: "/api/writer", tag: "settings" },
  reply: noticeOf,
  run: (input, context) => ({ data: noticeFor(changesIn(input), context) }),
});

export const changeWriter = defineQuery({
  name: "config",
  about: "change several model settings at once, in the user's file",
  fields: FIELDS,
  http: { method: "put", path: "/api/writer", tag: "settings", errors: ["bad_config"] },
  reply: noticeOf,
  run(input, context) {
    const changes = changesIn(input);
    if (Object.keys(changes).length === 0) throw usageError("No setting is given.", `Any of: ${KEYS.join(", ")}.`);
    writeSettings(context.paths.config, changes);
    return { data: noticeFor({}, context) };
  },
});

function changesIn(input: Record<Key, unknown>): Changes {
  const given = KEYS.filter((key) => input[key] !== undefined);
  return Object.fromEntries(given.map((key) => [key, parseOrThrow(key, input[key])]));
}

function noticeFor(changes: Changes, { paths, env }: QueryContext) {
  const { values } = loadSettings({ user: paths.config }, env);
  const { sessions, tokensPerDay } = findUsage(env, values, Date.now());
  return {
    notice: modelNotice({ ...values, ...changes } as typeof values, env),
    usage: { sessions, tokens_per_day: tokensPerDay },
  };
}
