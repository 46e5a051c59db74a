// The hook commands: read the payload, do one thing, answer, exit 0 whatever happened.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { claudeCodeWire } from "../agents/claude-code/event.ts";
import type { HookWire, HookOutput } from "../agents/hook-wire.ts";
import { admitEvent } from "../capture/live/admit-event.ts";
import { writeDrop } from "../capture/live/spool.ts";
import { findCaptureContext, type CaptureContext } from "../capture/capture-context.ts";
import { noteHookFired } from "../platform/state/hook-counters.ts";
import { type Env, isDisabled, type Paths, resolvePaths } from "../config/paths.ts";
import { noteLostEvent } from "../platform/state/lost-events.ts";
import { closeToOthers } from "../platform/private-file.ts";
import { readTail } from "../platform/read-file.ts";
import { wakeWorker } from "../platform/worker-start.ts";
import { AppError } from "../core/error.ts";
import type { AgentEvent, CapturedEvent } from "../core/event.ts";
import { hasSqlite } from "../store/db/driver.ts";
import { rerunWithNewerNode } from "./rerun-with-newer-node.ts";
import { logHookError } from "./log.ts";
import { loadBundle } from "./bundle.ts";
import type { OtherAgents } from "./others.ts";
import { askMemory, isOnlyAsked, recordInjection } from "./inject.ts";
import { statusLine } from "./status-line.ts";
import { readStdin } from "./stdin.ts";
import type { TellInput } from "./types.ts";

const WORKER = { bundle: join(import.meta.dirname, "worker.cjs"), canRun: hasSqlite };
/** Of a transcript: what stands in it of the last few tool uses. */
const END_BYTES = 256 * 1024;

/** Returns the answer to print, or undefined to print nothing. */
function main(command: string, agent: string | undefined, env: Env): object | undefined {
  const at = Date.now();
  const paths = resolvePaths(env);
  let wire: HookWire | undefined;
  let event: AgentEvent | undefined;
  let words: HookOutput = {};
  try {
    if (command === "context" && !hasSqlite() && rerunWithNewerNode(paths.install)) return undefined;
    wire = agent === undefined ? claudeCodeWire : others().wireOf(agent);
    if (isDisabled(env)) return wire.answer(command, undefined, words);
    closeToOthers(paths.home);
    const payload = parsePayload(readStdin());
    const readEnd = (path: string): string | undefined => readTail(path, END_BYTES);
    event = wire.event({ command, payload, cwd: currentFolder, readEnd, at, env });
    if (event !== undefined)
      words = handle(agent === undefined ? command : `${agent} ${command}`, event, wire, paths, env);
  } catch (error) {
    logHookError(paths.hookLog, command, error);
  }
  return wire === undefined ? {} : wire.answer(command, event?.activity, words);
}

function others(): OtherAgents {
  return loadBundle("agents.cjs") as OtherAgents;
}

function handle(hook: string, event: AgentEvent, wire: HookWire, paths: Paths, env: Env): HookOutput {
  const surroundings = findCaptureContext(event.cwd, paths.config, env);
  const captured = admitEvent(event, surroundings, paths);
  if (typeof captured === "string") {
    // Of an excluded folder nothing is kept, not even that a hook ran.
    if (captured !== "excluded") noteHookFired(paths.hookFires, hook);
    return blockedWords(event, surroundings);
  }
  captured.hook = hook;
  const input = { event: captured, place: surroundings.place, settings: surroundings.settings, paths };
  const isRecorded = !isOnlyAsked(captured, wire);
  const isStart = captured.activity.kind === "session-start";
  // What happened is safe on disk before memory is asked; but for a start, which nobody would miss after a power cut either.
  if (isRecorded && !isStart) record(paths, captured);
  // What stands in a rule need not be told at the start as well.
  const isInRules = isStart && wire.rulesFile !== undefined && others().hasRulesFile(input, wire.rulesFile);
  const told = isInRules ? undefined : askMemory(input, hook);
  if (isStart) {
    const start = { ...captured, ...(told?.injection && { injection: told.injection }) };
    record(paths, start, { isDurable: false });
  }
  if (!isStart && told !== undefined) recordInjection(input, told, isRecorded);
  if (!isRecorded && told?.injection === undefined) noteHookFired(paths.hookFires, hook);
  if (wire.rulesFile !== undefined) writeRules(input, wire.rulesFile);
  // After the drop: a worker that is about to leave looks into the spool once more when its lock is gone.
  if (isRecorded && surroundings.settings.worker) wakeWorker(paths, WORKER);
  return told ?? {};
}

/** Recording that stops because of a broken file is told at once: `c-mem status` may never be run. */
function blockedWords({ activity }: AgentEvent, { isBlocked, offReason }: CaptureContext): HookOutput {
  if (!isBlocked || activity.kind !== "session-start") return {};
  return { message: `C-Mem records nothing: ${offReason}. Run: c-mem doctor` };
}

/** Where neither the data directory nor the temporary folder has space, the event is lost: that is counted. */
function record(paths: Paths, event: CapturedEvent, options: { isDurable?: boolean } = {}): void {
  try {
    writeDrop(paths.spool, event, options);
  } catch (error) {
    noteLostEvent(paths.lostEvents, Date.now());
    throw error;
  }
}

/** Where that fails the file stays as it was. */
function writeRules(input: TellInput, name: string): void {
  try {
    const told = others().refreshRules(input, name);
    if (told !== undefined) recordInjection(input, told, true);
  } catch (error) {
    logHookError(input.paths.hookLog, input.event.hook ?? "", error);
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
  const [command = "", flag, agent] = process.argv.slice(2);
  const answer =
    command === "statusline"
      ? showStatus(process.env)
      : main(command, flag === "--agent" ? agent : undefined, process.env);
  if (answer !== undefined) writeSync(1, `${typeof answer === "string" ? answer : JSON.stringify(answer)}\n`);
} catch {
  // The reader of our answer has gone away: nobody is left to tell.
}
process.exit(0);
