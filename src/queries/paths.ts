// Lists the files that sessions changed, the latest first.
import { changedPaths } from "../store/reads/blame.ts";
import { defineQuery } from "./query.ts";
import { jsonOf, listOf, defineNames, schemaOf, whereOf } from "./schemas.ts";
import { LIMIT, readScope, SCOPE } from "./scope.ts";

const DEFAULT_LIMIT = 50;

const CHANGED = defineNames({
  text: ["path", "project", "project_key"],
  count: ["sessions", "added", "removed"],
  time: ["last_at"],
});

export const paths = defineQuery({
  name: "paths",
  about: "list the files that sessions changed, the latest first",
  fields: { q: { kind: "text", about: "a part of the path" }, ...SCOPE, ...LIMIT },
  http: { path: "/api/paths", tag: "search" },
  reply: (z) => ({
    data: listOf(z, z.strictObject(schemaOf(z, CHANGED))),
    meta: z.strictObject({ where: whereOf(z), has_more: z.boolean() }),
  }),
  run({ q = "", limit = DEFAULT_LIMIT, ...input }, context) {
    const { scope, where } = readScope(input, context);
    const rows = changedPaths(context.db, q, scope, limit + 1);
    const results = rows.slice(0, limit).map((row) => jsonOf(CHANGED, row));
    return { data: { results }, meta: { where, has_more: rows.length > limit } };
  },
});
