// The answer to SessionStart: the project's memory, read straight from the database.
import { drainSpool } from "../capture/drain.ts";
import type { Paths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import type { CapturedEvent, Injection } from "../core/event.ts";
import { estimateTokens } from "../core/tokens.ts";
import { buildContext } from "../recall/context.ts";
import { type Db, openDriver } from "../store/driver.ts";
import { openStore } from "../store/open.ts";
import { findProject } from "../store/projects.ts";
import { logHookError } from "./log.ts";

/** The agent waits for this hook: a database that is busy longer than this is read as it is. */
const BUSY_TIMEOUT_MS = 100;
/** How long draining may go on while the agent waits. What is left follows later. */
const DRAIN_MS = 60;

export function sessionStartContext(
  event: CapturedEvent,
  paths: Paths,
  settings: Settings,
): { answer: object | undefined; injection: Injection | undefined } {
  const none = { answer: undefined, injection: undefined };
  if (event.activity.kind !== "session-start") return none;
  try {
    const db = openAndDrain(paths);
    const project = findProject(db, event.project.key);
    if (project === undefined) return none;
    const { text, itemIds } = buildContext(db, {
      project,
      source: event.activity.source,
      sessionId: event.sessionId,
      maxChars: settings.contextMaxChars,
      sessions: settings.contextSessions,
      now: event.at,
    });
    if (text === "") return none;
    // The database is not closed: the last one to close it would have to checkpoint, and the process ends anyway.
    return {
      answer: { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: text } },
      injection: { surface: "session-start", itemIds, chars: text.length, tokens: estimateTokens(text) },
    };
  } catch (error) {
    logHookError(paths.hookLog, "context", error);
    return none;
  }
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
