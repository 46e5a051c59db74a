// The sessions in question, newest first.
import { AppError } from "../core/error.ts";
import { listSessions, type SessionEntry } from "../store/reads/session-list.ts";
import { countSessions } from "../store/reads/what-counts.ts";
import { type Asked, questionOf } from "./legacy.ts";
import type { Answer } from "./envelope.ts";
import { widerScope } from "./scope.ts";
import { readOffset } from "./legacy.ts";
import { sessionJson } from "./session-json.ts";

const LIMIT = 20;

export interface SessionsAnswer extends Answer {
  rows: SessionEntry[];
  hasMore: boolean;
  total: number;
  subagents: number;
  limit: number;
  isOfAllProjects: boolean;
}

export function answerSessions(asked: Asked): SessionsAnswer {
  const { scope, limit, where } = questionOf(asked, LIMIT);
  const offset = readOffset(asked.flags);
  // One more than shown tells whether there is more.
  const found = listSessions(asked.db, scope, limit + 1, offset);
  const rows = found.slice(0, limit);
  if (rows.length === 0) {
    throw new AppError("nothing_found", `No session in ${where} matches.`, {
      hint: `${widerScope(scope)}, or \`c-mem sync\` to bring in earlier sessions.`,
    });
  }
  const hasMore = found.length > limit;
  const { sessions: total, subagents } = countSessions(asked.db, scope);
  return {
    data: { results: rows.map(sessionJson) },
    meta: { where, has_more: hasMore, total, subagents },
    rows,
    hasMore,
    total,
    subagents,
    limit,
    isOfAllProjects: scope.projectId === undefined,
  };
}
