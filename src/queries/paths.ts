// Which files sessions changed, the latest first.
import { iso } from "../core/time.ts";
import { changedPaths } from "../store/reads/changed-paths.ts";
import { type Asked, questionOf } from "./legacy.ts";
import type { Answer } from "./envelope.ts";

const LIMIT = 50;

export function answerPaths(asked: Asked, part: string): Answer {
  const { scope, limit, where } = questionOf(asked, LIMIT);
  const rows = changedPaths(asked.db, part, scope, limit + 1);
  const results = rows.slice(0, limit).map((row) => ({ ...row, last_at: iso(row.last_at) }));
  return { data: { results }, meta: { where, has_more: rows.length > limit } };
}
