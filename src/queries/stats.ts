// How much was done, in totals that are totals, and what it takes on disk.
import { folderSize } from "../platform/folder-size.ts";
import { statOf } from "../platform/read-file.ts";
import { archiveSize } from "../capture/sync/archive-copies.ts";
import { AppError } from "../core/error.ts";
import { iso } from "../core/time.ts";
import { backupFolder } from "../store/db/backup.ts";
import {
  activityByDay,
  type Share,
  shares,
  type ToolShare,
  toolShares,
  type Totals,
  totals,
} from "../store/reads/stats.ts";
import { type Asked, questionOf } from "./legacy.ts";
import type { Answer } from "./envelope.ts";
import { widerScope } from "./scope.ts";

const LIMIT = 12;

export interface StatsAnswer extends Answer {
  all: Totals;
  by: Record<"agent" | "project" | "month", Share[]>;
  tools: ToolShare[];
  bytes: number;
  where: string;
  limit: number;
}

export function answerStats(asked: Asked): StatsAnswer {
  const { db, paths } = asked;
  const { scope, limit, where } = questionOf(asked, LIMIT);
  const all = totals(db, scope);
  if (all.sessions + all.subagents === 0) {
    throw new AppError("nothing_found", `No session in ${where} matches.`, {
      hint: `${widerScope(scope)}, or \`c-mem sync\` to bring in earlier sessions.`,
    });
  }
  const bytes = statOf(paths.database)?.size ?? 0;
  const by = {
    agent: shares(db, scope, "agent"),
    project: shares(db, scope, "project"),
    month: shares(db, scope, "month"),
  };
  const tools = toolShares(db, scope);
  const data = {
    totals: { ...all, first_at: iso(all.first_at), last_at: iso(all.last_at) },
    by_agent: by.agent,
    by_project: by.project,
    by_tool: tools.map((tool) => ({ ...tool, failure_rate: tool.failed / tool.uses })),
    by_month: by.month,
    by_day: activityByDay(db, scope),
    database: { bytes },
    archive: archiveSize(paths.archive),
    backups: folderSize(backupFolder(paths.database)),
    models: folderSize(paths.models),
  };
  return { data, meta: { where }, all, by, tools, bytes, where, limit };
}
