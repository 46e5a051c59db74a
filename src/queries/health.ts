// Runs every check of `c-mem doctor`.
import { checkHealth } from "../health/health.ts";
import { defineQuery, type Zod } from "./query.ts";

export const checkSchema = (z: Zod) =>
  z.strictObject({
    name: z.string(),
    state: z.enum(["ok", "warn", "fail"]),
    message: z.string(),
    fix: z.string().optional(),
  });

export const health = defineQuery({
  name: "doctor",
  about: "run every health check",
  fields: { deep: { kind: "flag", about: "also read the whole database" } },
  http: { path: "/api/health", tag: "health", isSlow: true, readsFiles: true },
  reply: (z) => ({
    data: z.strictObject({ results: z.array(checkSchema(z)), healthy: z.boolean() }),
  }),
  run({ deep }, { paths, env }) {
    const results = checkHealth(paths, env, { now: Date.now(), deep }).map((check) => ({ ...check }));
    return { data: { results, healthy: results.every(({ state }) => state !== "fail") } };
  },
});
