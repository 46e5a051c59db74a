// The files that sessions changed, the latest first.
import { iso } from "../core/time.ts";
import { changedPaths } from "../store/reads/blame.ts";
import { defineQuery } from "./query.ts";
import { countOf, listOf, timeOf, whereOf } from "./schemas.ts";
import { LIMIT, readScope, SCOPE } from "./scope.ts";

const DEFAULT_LIMIT = 50;

export const paths = defineQuery({
  name: "paths",
  about: "list the files that sessions changed, the latest first",
  fields: { q: { kind: "text", about: "a part of the path" }, ...SCOPE, ...LIMIT },
  http: { path: "/api/paths", tag: "search" },
  reply: (z) => ({
    data: listOf(
      z,
      z.strictObject({
        path: z.string(),
        project: z.string(),
        project_key: z.string(),
        sessions: countOf(z),
        added: countOf(z),
        removed: countOf(z),
        last_at: timeOf(z),
      }),
    ),
    meta: z.strictObject({ where: whereOf(z), has_more: z.boolean() }),
  }),
  run({ q = "", limit = DEFAULT_LIMIT, ...input }, context) {
    const { scope, where } = readScope(input, context);
    const rows = changedPaths(context.db, q, scope, limit + 1);
    const results = rows.slice(0, limit).map((row) => ({ ...row, last_at: iso(row.last_at) }));
    return { data: { results }, meta: { where, has_more: rows.length > limit } };
  },
});
