// Finds the session and turn in which the client calls a tool, and refuses to write where nothing is recorded.
import { findCaptureContext } from "../capture/capture-context.ts";
import { isPrivateTurn } from "../capture/live/private-turn.ts";
import { isDisabled } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { type LastTurn, lastTurnOf, runningTurnsIn } from "../store/reads/running-turns.ts";
import type { Call } from "./tool.ts";

/** Claude Code sets it for its MCP servers. After `/clear` the server runs on and still has the old session's id. */
const SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID";
/** If two sessions of a folder were both active within this time, the call may belong to either. */
const BUSY_MS = 10 * 60_000;

/** Throws if C-Mem is off here. Naming a project allows writing to it from a folder where C-Mem is off. */
export function requireRecording({ cwd, paths, env }: Call, project?: string): void {
  const off = isDisabled(env)
    ? "C_MEM_DISABLE is set"
    : project === undefined
      ? findCaptureContext(cwd, paths.config, env).offReason
      : undefined;
  if (off === undefined) return;
  throw new AppError("excluded", `C-Mem is switched off in this folder and saves nothing here: ${off}.`, {
    hint: "The user decides that (`c-mem config`); do not work around it.",
  });
}

/**
 * The turn that is running now: of the client's own session, else of the session in this folder. Undefined if that is
 * not certain. Throws in a private turn.
 */
export function findClientTurn(call: Call): LastTurn | undefined {
  const { db, env, cwd, paths, now } = call;
  const own = env[SESSION_VARIABLE] || undefined;
  const last = own === undefined ? undefined : lastTurnOf(db, own);
  if (own !== undefined && last?.over !== 1) requirePublic(call, own);
  if (last?.running === 1) return last;
  const { key } = findCaptureContext(cwd, paths.config, env).project;
  const [newest, other] = runningTurnsIn(db, key, cwd);
  return other !== undefined && now - other.lastAt < BUSY_MS ? undefined : newest;
}

/** Throws if the session is in a turn whose prompt is wholly private. */
export function requirePublic({ paths }: Call, sessionId: string): void {
  if (!isPrivateTurn(paths.privateTurns, { sessionId, activity: { kind: "subagent-start" } })) return;
  throw new AppError("private", "The user's prompt is private: nothing of this turn is saved.", {
    hint: "Tell the user that they can ask again in a prompt without <private>.",
  });
}
