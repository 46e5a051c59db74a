// The hook commands: read the payload, do one thing, answer, exit 0 whatever happened.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { hookEvent } from "../agents/claude-code/event.ts";
import { captureEvent } from "../capture/capture.ts";
import { beginPrivateTurn, endPrivateTurn, isPrivateTurn } from "../capture/private-turn.ts";
import { writeDrop } from "../capture/spool.ts";
import { findSurroundings } from "../capture/surroundings.ts";
import { type Env, type Paths, resolvePaths } from "../config/paths.ts";
import { wakeWorker } from "../config/worker-start.ts";
import { AppError } from "../core/error.ts";
import type { AgentEvent } from "../core/event.ts";
import { isWhollyPrivate } from "../core/private-tags.ts";
import { hasSqlite } from "../store/driver.ts";
import { continueElsewhere } from "./elsewhere.ts";
import { logHookError } from "./log.ts";
import { askMemory, hookAnswer, ONLY_ASKED, recordInjection } from "./speak.ts";
import { statusLine } from "./status-line.ts";
import { readStdin } from "./stdin.ts";

const WORKER = { bundle: join(import.meta.dirname, "worker.cjs"), canRun: hasSqlite };
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
  const input = { event: captured, place: surroundings.place, settings: surroundings.settings, paths };
  const isRecorded = !ONLY_ASKED.has(captured.activity.kind);
  const isStart = captured.activity.kind === "session-start";
  // What happened is safe on disk before memory is asked; but for a start, which nobody would miss after a power cut either.
  if (isRecorded && !isStart) writeDrop(paths.spool, captured);
  const told = askMemory(input, command);
  if (isStart) {
    const start = { ...captured, ...(told?.injection && { injection: told.injection }) };
    writeDrop(paths.spool, start, { isDurable: false });
  }
  if (!isStart && told !== undefined) recordInjection(input, told);
  // After the drop: a worker that is about to leave looks into the spool once more when its lock is gone.
  if (isRecorded && surroundings.settings.worker) wakeWorker(paths, WORKER);
  return told && hookAnswer(captured, told);
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

/** One line, also where the client's words make no sense. */
function showStatus(env: Env): string {
  const paths = resolvePaths(env);
  try {
    return statusLine(paths, env, parsePayload(readStdin()));
  } catch {
    return statusLine(paths, env, undefined);
  }
}

try {
  const command = process.argv[2] ?? "";
  const answer = command === "statusline" ? showStatus(process.env) : main(command, process.env);
  if (answer !== undefined) writeSync(1, `${typeof answer === "string" ? answer : JSON.stringify(answer)}\n`);
} catch {
  // The reader of our answer has gone away: nobody is left to tell.
}
process.exit(0);
