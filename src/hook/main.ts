// The hook commands: read the payload, do one thing, answer, exit 0 whatever happened.
import { writeSync } from "node:fs";
import { hookEvent } from "../agents/claude-code/event.ts";
import { captureEvent } from "../capture/capture.ts";
import { beginPrivateTurn, endPrivateTurn, isPrivateTurn } from "../capture/private-turn.ts";
import { writeDrop } from "../capture/spool.ts";
import { findSurroundings } from "../capture/surroundings.ts";
import { type Env, type Paths, resolvePaths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import type { AgentEvent } from "../core/event.ts";
import { isWhollyPrivate } from "../core/private-tags.ts";
import { hasSqlite } from "../store/driver.ts";
import { sessionStartContext } from "./context.ts";
import { drain } from "./drain.ts";
import { continueElsewhere, drainElsewhere } from "./elsewhere.ts";
import { logHookError } from "./log.ts";
import { readStdin } from "./stdin.ts";

const GO_ON = { continue: true, suppressOutput: true };

/** Returns the answer to print, or undefined to print nothing. */
function main(command: string, env: Env): object | undefined {
  const at = Date.now();
  const paths = resolvePaths(env);
  let answer: object | undefined = command === "context" ? {} : GO_ON;
  try {
    if (command === "context" && !hasSqlite() && continueElsewhere(paths.install)) return undefined;
    const payload = parsePayload(readStdin());
    const event = hookEvent({ command, payload, cwd: currentFolder, at, env });
    // What a PreCompact hook prints is taken for instructions to whoever sums up the conversation.
    if (event?.activity.kind === "checkpoint") answer = undefined;
    if (event !== undefined) answer = handle(command, event, paths, env) ?? answer;
  } catch (error) {
    logHookError(paths.hookLog, command, error);
  }
  return answer;
}

function handle(command: string, event: AgentEvent, paths: Paths, env: Env): object | undefined {
  const surroundings = findSurroundings(event.cwd, paths.config, env);
  if (surroundings.isExcluded || trackPrivateTurn(paths.privateTurns, event)) return undefined;
  const captured = captureEvent(event, surroundings);
  if (captured === undefined) return undefined;
  captured.hook = command;
  if (captured.activity.kind !== "session-start") {
    writeDrop(paths.spool, captured);
    if (command === "summary") drainElsewhere(paths.spool);
    return undefined;
  }
  const context = sessionStartContext(captured, paths, surroundings.settings);
  if (context.injection !== undefined) captured.injection = context.injection;
  writeDrop(paths.spool, captured);
  return context.answer;
}

/** Keeps the marker of private turns up to date; true when this event belongs to one. */
function trackPrivateTurn(folder: string, event: AgentEvent): boolean {
  const { activity, sessionId } = event;
  switch (activity.kind) {
    case "prompt":
      if (isWhollyPrivate(activity.text)) {
        beginPrivateTurn(folder, sessionId, activity.promptId);
        return true;
      }
      endPrivateTurn(folder, sessionId);
      return false;
    case "session-end":
    case "session-start":
      return false;
    default:
      return isPrivateTurn(folder, event);
  }
}

/** The folder a hook runs in may have been deleted meanwhile; payloads name it themselves. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}

function parsePayload(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    // Not the parser's message: it quotes the payload.
    throw new AppError("bad_payload", `stdin is not JSON (${text.length} characters)`);
  }
}

try {
  const command = process.argv[2] ?? "";
  const answer = command === "drain" ? drain(process.env) : main(command, process.env);
  if (answer !== undefined) writeSync(1, `${JSON.stringify(answer)}\n`);
} catch {
  // The reader of our answer has gone away: nobody is left to tell.
}
process.exit(0);
