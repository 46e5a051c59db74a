// The answer to SessionStart: the project's memory, read straight from the database. Built as context.cjs.
import { join } from "node:path";
import { drainSpool } from "../capture/live/drain.ts";
import { readRefLog } from "../capture/work-tree.ts";
import { forgetShown } from "../capture/live/shown-items.ts";
import { describeTree } from "../capture/work-tree.ts";
import type { Paths } from "../config/paths.ts";
import { readActivity } from "../platform/state/activity.ts";
import { readServer } from "../platform/state/server-record.ts";
import { statOf } from "../platform/read-file.ts";
import { AppError } from "../core/error.ts";
import { withCommas } from "../core/text.ts";
import { buildContext, type ContextBlock } from "../recall/inject/session-context.ts";
import { throttleLevel } from "../recall/inject/throttle.ts";
import { type Db, hasSqlite, isDamage, openDriver } from "../store/db/driver.ts";
import { openStore } from "../store/db/open.ts";
import { readReports } from "../store/db/quarantine.ts";
import { findProject, type ProjectRow } from "../store/tables/projects.ts";
import { countSessions } from "../store/reads/counts.ts";
import { logHookError } from "./log.ts";
import { isHeldOut, type TellAnswer, type TellInput } from "./types.ts";

/** The agent waits for this hook: a database that is busy longer than this is read as it is. */
const BUSY_TIMEOUT_MS = 100;
/** How long draining may go on while the agent waits. What is left follows later. */
const DRAIN_MS = 60;
/** What is left of the budget where the block is seldom or hardly ever used. */
const QUIETER = [1, 0.6, 0.35] as const;

export function tell(input: TellInput): TellAnswer | undefined {
  const { event, place, settings, paths } = input;
  if (event.activity.kind !== "session-start" || !hasSqlite()) return undefined;
  if (isHeldOut(input)) return { keys: [], injection: { surface: "holdout", itemIds: [], chars: 0, tokens: 0 } };
  const { source } = event.activity;
  if (source === "compact") forgetShown(paths.shown, event.sessionId);
  const surface = source === "compact" ? "compaction" : "session-start";
  if (!settings.surfaces.includes(surface)) return undefined;
  const db = openAndDrain(paths);
  // Just after an update: the worker or the next command brings the database up to this version.
  if (db === "older") return undefined;
  if (db === undefined)
    return { message: "C-Mem: the database is damaged and will be repaired (c-mem doctor)", keys: [] };
  const project = findProject(db, event.project.key);
  const block =
    project &&
    buildContext(db, {
      project,
      source,
      sessionId: event.sessionId,
      settings: {
        ...settings,
        contextTokens: Math.ceil(settings.contextTokens * QUIETER[throttleLevel(db, surface, event.at)]),
      },
      tree: describeTree(place, event.transcriptPath, readRefLog(place)),
      more: moreLine(),
      now: event.at,
    });
  const message = settings.contextMessage
    ? (repairNote(paths, event.at) ?? messageFor(db, project, block, paths, source))
    : undefined;
  // The database is not closed: the last one to close it would have to checkpoint, and the process ends anyway.
  if (block === undefined || block.text === "") return message === undefined ? undefined : { message, keys: [] };
  const { text, items, tokens } = block;
  return {
    text,
    ...(message !== undefined && { message }),
    injection: { surface, itemIds: items, chars: text.length, tokens },
    keys: items,
  };
}

/** Only where the plugin brings them. */
function moreLine(): string | undefined {
  return statOf(join(import.meta.dirname, "..", ".mcp.json")) === undefined
    ? undefined
    : "More about any #id: the c-mem MCP tools.";
}

const TOLD_FOR_MS = 24 * 60 * 60 * 1000;

/** Somebody who never looks at `c-mem status` learns of it as well. */
function repairNote({ setAside }: Paths, now: number): string | undefined {
  const [last] = readReports(setAside);
  if (last?.why !== "damaged" || now - last.at > TOLD_FOR_MS) return undefined;
  return "C-Mem: the database was damaged and has been repaired (c-mem doctor says how)";
}

/** One quiet line for the person. */
function messageFor(
  db: Db,
  project: ProjectRow | undefined,
  block: ContextBlock | undefined,
  paths: Paths,
  source: string,
): string | undefined {
  const { sessions } = project === undefined ? { sessions: 0 } : countSessions(db, { projectId: project.id });
  if (block === undefined || block.text === "") {
    const toRead = readActivity(paths.activity)?.to_read ?? 0;
    if (toRead > 0) return `C-Mem: reading earlier sessions, ${withCommas(toRead)} to go. ${pageNote(paths)}`;
    const isFirst = source === "startup" && countSessions(db).sessions === 0;
    return isFirst ? `C-Mem: nothing is known yet; it records from now on. ${pageNote(paths)}` : undefined;
  }
  const memories = block.items.filter((item) => /^[oi]\d/.test(item)).length;
  const parts = [
    `C-Mem: ${withCommas(sessions)} ${sessions === 1 ? "session" : "sessions"}`,
    ...(memories > 0 ? [`${memories} ${memories === 1 ? "memory" : "memories"}`] : []),
    `${withCommas(block.tokens)} tokens`,
  ];
  return `${parts.join(", ")}. ${pageNote(paths)}`;
}

/** Where the page is. A browser is let in by the link that `c-mem open` makes: the token is never printed here. */
function pageNote({ server }: Paths): string {
  const record = readServer(server);
  const isServed = record !== undefined && record.port !== null && record.pid !== null;
  return isServed ? `Page: http://127.0.0.1:${record.port} (\`c-mem open\`)` : "Page: `c-mem open`";
}

function openAndDrain(paths: Paths): Db | "older" | undefined {
  let db: Db | undefined;
  try {
    db = openStore(paths.database, { busyTimeoutMs: BUSY_TIMEOUT_MS, leaveOlder: true });
    drainSpool(db, paths.spool, { maxMs: DRAIN_MS });
    return db;
  } catch (error) {
    // What is not drained now waits in the spool; what is in the database is still worth telling.
    if (!isPassing(error)) logHookError(paths.hookLog, "context", error);
    if (isDamage(error)) return undefined;
    if (error instanceof AppError && error.code === "store_older") return "older";
    return db ?? openDriver(paths.database, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  }
}

/** Just after an update, or while a backup is restored: nothing is wrong. */
function isPassing(error: unknown): boolean {
  return error instanceof AppError && ["store_older", "store_restoring"].includes(error.code);
}
