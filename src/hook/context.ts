// The answer to SessionStart: the project's memory, read straight from the database.
import { drainSpool } from "../capture/drain.ts";
import type { Paths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import type { CapturedEvent, Injection } from "../core/event.ts";
import { estimateTokens } from "../core/tokens.ts";
import { buildContext } from "../recall/context.ts";
import type { Db } from "../store/driver.ts";
import { openStore } from "../store/open.ts";
import { findProject } from "../store/projects.ts";
import { logHookError } from "./log.ts";

/** The agent waits for this hook: a database that is busy longer than this is read as it is. */
const BUSY_TIMEOUT_MS = 100;
/** What may be drained while the agent waits: some 50 ms of work. The rest follows later. */
const MAX_DROPS = 1_000;

export function sessionStartContext(
  event: CapturedEvent,
  paths: Paths,
  settings: Settings,
): { answer: object | undefined; injection: Injection | undefined } {
  const none = { answer: undefined, injection: undefined };
  if (event.activity.kind !== "session-start") return none;
  try {
    const db = openStore(paths.database, { busyTimeoutMs: BUSY_TIMEOUT_MS });
    drainIfFree(db, paths);
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

function drainIfFree(db: Db, paths: Paths): void {
  try {
    drainSpool(db, paths.spool, { maxDrops: MAX_DROPS });
  } catch (error) {
    // What is not drained now waits in the spool; what is in the database is still worth telling.
    logHookError(paths.hookLog, "context", error);
  }
}
