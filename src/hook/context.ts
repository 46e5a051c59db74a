// The answer to SessionStart: the project's memory, read straight from the database. Built as context.cjs.
import { join } from "node:path";
import { drainSpool } from "../capture/drain.ts";
import { readRefLog } from "../capture/ref-log.ts";
import { forgetShown } from "../capture/shown.ts";
import { describeTree } from "../capture/work-tree.ts";
import type { Paths } from "../config/paths.ts";
import { readActivity } from "../config/activity.ts";
import { statOf } from "../config/read.ts";
import { withCommas } from "../core/text.ts";
import { buildContext, type ContextBlock } from "../recall/context.ts";
import { quietness } from "../recall/loudness.ts";
import { type Db, hasSqlite, openDriver } from "../store/driver.ts";
import { openStore } from "../store/open.ts";
import { findProject } from "../store/projects.ts";
import { logHookError } from "./log.ts";
import { isHeldOut, type TellAnswer, type TellInput } from "./told.ts";

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
  const project = findProject(db, event.project.key);
  const block =
    project &&
    buildContext(db, {
      project,
      source,
      sessionId: event.sessionId,
      settings: {
        ...settings,
        contextTokens: Math.ceil(settings.contextTokens * QUIETER[quietness(db, surface, event.at)]),
      },
      tree: describeTree(place, event.transcriptPath, readRefLog(place)),
      more: moreLine(),
      now: event.at,
    });
  const message = settings.contextMessage ? messageFor(block, paths) : undefined;
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

/** One quiet line for the person. */
function messageFor(block: ContextBlock | undefined, paths: Paths): string | undefined {
  const reading = readActivity(paths.activity)?.queue.pending ?? 0;
  if (block === undefined || block.text === "") {
    return reading > 0 ? `C-Mem: reading earlier sessions, ${withCommas(reading)} to go` : undefined;
  }
  const memories = block.items.filter((item) => /^[oi]\d/.test(item)).length;
  const parts = [
    `C-Mem: ${block.sessions} ${block.sessions === 1 ? "session" : "sessions"}`,
    ...(memories > 0 ? [`${memories} ${memories === 1 ? "memory" : "memories"}`] : []),
    `${withCommas(block.tokens)} tokens`,
  ];
  return `${parts.join(", ")}; \`c-mem open\` shows them`;
}

function openAndDrain(paths: Paths): Db {
  let db: Db | undefined;
  try {
    db = openStore(paths.database, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    drainSpool(db, paths.spool, { maxMs: DRAIN_MS });
    return db;
  } catch (error) {
    // What is not drained now waits in the spool; what is in the database is still worth telling.
    logHookError(paths.hookLog, "context", error);
    return db ?? openDriver(paths.database, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  }
}
