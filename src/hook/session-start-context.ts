// Builds the context for a session start from the database. Built as context.cjs.
import { join } from "node:path";
import { drainSpool } from "../capture/live/drain.ts";
import { readRefLog } from "../capture/ref-log.ts";
import { clearShown } from "../capture/live/shown-items.ts";
import { describeTree } from "../capture/work-tree.ts";
import type { Paths } from "../config/paths.ts";
import { readActivity } from "../platform/state/activity.ts";
import { readServer } from "../platform/state/server-record.ts";
import { statOf } from "../platform/read-file.ts";
import { AppError } from "../core/error.ts";
import { withCommas } from "../core/text.ts";
import { buildContext, type ContextBlock, newProject } from "../recall/inject/session-context.ts";
import { throttleLevel } from "../recall/inject/throttle.ts";
import { type Db, hasSqlite, isDamage, openDriver } from "../store/db/driver.ts";
import { openStore } from "../store/db/open.ts";
import { readReports } from "../store/db/quarantine.ts";
import { findProject, type ProjectRow } from "../store/tables/projects.ts";
import { countSessions } from "../store/reads/counts.ts";
import { logHookError } from "./log.ts";
import { type InjectAnswer, type InjectRequest, isHeldOut } from "./types.ts";

/** The agent waits for this hook. If the database stays locked for longer, the hook reads it without draining. */
const BUSY_TIMEOUT_MS = 100;
/** The worker or the next command drains the rest of the spool. */
const DRAIN_MS = 60;
/** The share of `contextTokens` that is used at each throttle level. */
const BUDGET_SHARES = [1, 0.6, 0.35] as const;

export function contextForStart(request: InjectRequest): InjectAnswer | undefined {
  const { event, place, settings, paths } = request;
  if (event.activity.kind !== "session-start" || !hasSqlite()) return undefined;
  if (isHeldOut(request)) return { keys: [], injection: { surface: "holdout", itemIds: [], chars: 0, tokens: 0 } };
  const { source } = event.activity;
  if (source === "compact") clearShown(paths.shown, event.sessionId);
  const surface = source === "compact" ? "compaction" : "session-start";
  if (!settings.surfaces.includes(surface)) return undefined;
  const db = openAndDrain(paths);
  // Just after an update of C-Mem: the worker or the next command migrates the database.
  if (db === "older") return undefined;
  if (db === "damaged") {
    return { message: "C-Mem: the database is damaged and will be repaired (c-mem doctor)", keys: [] };
  }
  const project = findProject(db, event.project.key);
  const budget = Math.ceil(settings.contextTokens * BUDGET_SHARES[throttleLevel(db, surface, event.at)]);
  const block = buildContext(db, {
    project: project ?? newProject(event.project.name),
    source,
    sessionId: event.sessionId,
    settings: { ...settings, contextTokens: budget },
    tree: describeTree(place, event.transcriptPath, readRefLog(place)),
    more: toolsLine(),
    now: event.at,
  });
  const message = settings.contextMessage
    ? (repairNote(paths, event.at) ?? messageFor(db, project, block, paths, source))
    : undefined;
  // The database is not closed: closing the last connection runs a checkpoint, and this process ends anyway.
  if (block.text === "") return message === undefined ? undefined : { message, keys: [] };
  const { text, items, tokens } = block;
  const injection = { surface, itemIds: items, chars: text.length, tokens } as const;
  return { text, ...(message !== undefined && { message }), injection, keys: items };
}

const TOOLS =
  "The c-mem MCP tools show an #id (get_observations), find more (search) and record what the user decides (remember).";

/** Undefined if this bundle is not in the plugin folder, which also has the MCP server. */
function toolsLine(): string | undefined {
  const hasTools = statOf(join(import.meta.dirname, "..", ".mcp.json")) !== undefined;
  return hasTools ? TOOLS : undefined;
}

const REPAIR_SHOWN_MS = 24 * 60 * 60 * 1000;

/** Shown for a day after a repair: many users never run `c-mem status`. */
function repairNote({ quarantine }: Paths, now: number): string | undefined {
  const [last] = readReports(quarantine);
  if (last?.why !== "damaged" || now - last.at > REPAIR_SHOWN_MS) return undefined;
  return "C-Mem: the database was damaged and has been repaired (c-mem doctor says how)";
}

/** The line that the user sees. */
function messageFor(
  db: Db,
  project: ProjectRow | undefined,
  block: ContextBlock,
  paths: Paths,
  source: string,
): string | undefined {
  if (block.text === "") {
    const toRead = readActivity(paths.activity)?.to_read ?? 0;
    if (toRead > 0) return `C-Mem: reading earlier sessions, ${withCommas(toRead)} to go. ${pageNote(paths)}`;
    const isFirst = source === "startup" && countSessions(db).sessions === 0;
    return isFirst ? `C-Mem: no sessions yet. Recording has started. ${pageNote(paths)}` : undefined;
  }
  const sessions = project === undefined ? 0 : countSessions(db, { projectId: project.id }).sessions;
  // "o12": an observation in full, "i12": only its title.
  const observations = block.items.filter((item) => /^[oi]\d/.test(item)).length;
  const parts = [
    ...(sessions > 0 ? [`${withCommas(sessions)} ${sessions === 1 ? "session" : "sessions"}`] : []),
    ...(observations > 0 ? [`${observations} ${observations === 1 ? "observation" : "observations"}`] : []),
    `${withCommas(block.tokens)} tokens`,
  ];
  return `C-Mem: ${parts.join(", ")}. ${pageNote(paths)}`;
}

/** The address alone does not sign a browser in: `c-mem open` adds the token. */
function pageNote({ server }: Paths): string {
  const record = readServer(server);
  const isServed = record !== undefined && record.port !== null && record.pid !== null;
  return isServed ? `Page: http://127.0.0.1:${record.port} (\`c-mem open\`)` : "Page: `c-mem open`";
}

function openAndDrain(paths: Paths): Db | "older" | "damaged" {
  let db: Db | undefined;
  try {
    db = openStore(paths.database, { busyTimeoutMs: BUSY_TIMEOUT_MS, refuseOlder: true });
    drainSpool(db, paths.spool, { maxMs: DRAIN_MS });
    return db;
  } catch (error) {
    const code = error instanceof AppError ? error.code : undefined;
    // Not errors: C-Mem was just updated, or a backup is being restored.
    if (code !== "store_older" && code !== "store_restoring") logHookError(paths.hookLog, "context", error);
    if (isDamage(error)) return "damaged";
    if (code === "store_older") return "older";
    // The spool was not drained, but context from the rows already in the database can be injected.
    return db ?? openDriver(paths.database, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  }
}
