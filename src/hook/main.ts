// The hook commands: read the payload, record the event, inject context. The exit code is always 0.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { claudeCodeWire } from "../agents/claude-code/event.ts";
import type { HookOutput, HookWire } from "../agents/hook-wire.ts";
import { type CaptureContext, findCaptureContext } from "../capture/capture-context.ts";
import { admitEvent } from "../capture/live/admit-event.ts";
import { writeDrop } from "../capture/live/spool.ts";
import { type Env, isDisabled, type Paths, resolvePaths } from "../config/paths.ts";
import type { AgentEvent, CapturedEvent } from "../core/event.ts";
import { asObject, asString } from "../core/json.ts";
import { makePrivate } from "../platform/private-file.ts";
import { readTail } from "../platform/read-file.ts";
import { activityLine } from "../platform/state/activity.ts";
import { noteHookFired } from "../platform/state/hook-counters.ts";
import { HANDED_OVER, fallbackNode } from "../platform/state/install-record.ts";
import { noteLostEvent } from "../platform/state/lost-events.ts";
import { storedPayload } from "../platform/stdin-payload.ts";
import { wakeWorker } from "../platform/worker-start.ts";
import { hasSqlite } from "../store/db/driver.ts";
import { loadBundle } from "./bundle.ts";
import { isLookupOnly, recordInjection, requestContext } from "./request-context.ts";
import { logHookError } from "./log.ts";
import { readPayload } from "./stdin.ts";
import type { InjectRequest } from "./types.ts";

const WORKER = { bundle: join(import.meta.dirname, "worker.cjs"), canRun: hasSqlite };
/** The end of a transcript, enough for the last few tool uses. */
const END_BYTES = 256 * 1024;

/** Returns the answer to print, or undefined to print nothing. */
function runHook(command: string, agent: string | undefined, env: Env): object | undefined {
  const at = Date.now();
  const paths = resolvePaths(env);
  let wire: HookWire | undefined;
  let event: AgentEvent | undefined;
  let output: HookOutput = {};
  try {
    if (command === "context" && !hasSqlite() && rerunWithOtherNode(paths.install)) return undefined;
    // Claude Code's wire is part of this bundle, because loading a second bundle would slow down its hooks.
    wire = agent === undefined ? claudeCodeWire : otherAgents().wireOf(agent);
    if (isDisabled(env)) return wire.answer(command, undefined, output);
    makePrivate(paths.home);
    const readEnd = (path: string): string | undefined => readTail(path, END_BYTES);
    event = wire.event({ command, payload: readPayload(), cwd: currentFolder, readEnd, at, env });
    const hook = agent === undefined ? command : `${agent} ${command}`;
    if (event !== undefined) output = handleEvent(hook, event, wire, paths, env);
  } catch (error) {
    logHookError(paths.hookLog, command, error);
  }
  return wire === undefined ? {} : wire.answer(command, event?.activity, output);
}

function otherAgents() {
  return loadBundle("agents.cjs") as typeof import("./other-agents.ts");
}

const RERUN_TIMEOUT_MS = 8_000;

/** Runs this hook again with the Node that `install` found; true on success. Call it before reading stdin. */
function rerunWithOtherNode(installRecord: string): boolean {
  const node = fallbackNode(installRecord, process.env);
  if (node === undefined) return false;
  // Not imported at the top: loading it would cost every other hook a millisecond.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status } = spawnSync(node, process.argv.slice(1), {
    stdio: [storedPayload() === undefined ? "inherit" : "pipe", "inherit", "inherit"],
    input: storedPayload(),
    timeout: RERUN_TIMEOUT_MS,
    windowsHide: true,
    env: { ...process.env, [HANDED_OVER]: "1" },
  });
  return status === 0;
}

function handleEvent(hook: string, event: AgentEvent, wire: HookWire, paths: Paths, env: Env): HookOutput {
  const context = findCaptureContext(event.cwd, paths.config, env);
  const captured = admitEvent(event, context, paths);
  if (typeof captured === "string") {
    // In an excluded folder C-Mem does not even count that the hook ran.
    if (captured !== "excluded") noteHookFired(paths.hookFires, hook);
    return blockedOutput(event, context);
  }
  captured.hook = hook;
  const { place, settings } = context;
  const request = { event: captured, place, settings, paths };
  const isRecorded = !isLookupOnly(captured, wire);
  const isStart = captured.activity.kind === "session-start";
  // Recorded before the lookup, so that a kill during the lookup does not lose the event. A session start is recorded
  // after the lookup, together with its injection.
  if (isRecorded && !isStart) recordEvent(paths, captured);
  // If the rules file already has the context, do not inject it as well.
  const isInRules = isStart && wire.rulesFile !== undefined && otherAgents().hasRulesFile(request, wire.rulesFile);
  const found = isInRules ? undefined : requestContext(request, hook);
  if (isStart) {
    const start = { ...captured, ...(found?.injection && { injection: found.injection }) };
    // Not synced: losing a session start in a power cut does no harm.
    recordEvent(paths, start, { isDurable: false });
  } else if (found !== undefined) recordInjection(request, found, isRecorded);
  if (!isRecorded && found?.injection === undefined) noteHookFired(paths.hookFires, hook);
  if (wire.rulesFile !== undefined) updateRules(request, wire.rulesFile);
  // Only after the event is written: a worker that is about to stop checks the spool once more.
  if (isRecorded && settings.worker) wakeWorker(paths, WORKER);
  return found ?? {};
}

/** Tells the user at session start that unreadable settings stop recording: few users run `c-mem status`. */
function blockedOutput({ activity }: AgentEvent, { isBlocked, offReason }: CaptureContext): HookOutput {
  if (!isBlocked || activity.kind !== "session-start") return {};
  return { message: `C-Mem is not recording: ${offReason}. Run: c-mem doctor` };
}

/** If neither the data directory nor the temporary folder can be written, counts the event as lost. */
function recordEvent(paths: Paths, event: CapturedEvent, options: { isDurable?: boolean } = {}): void {
  try {
    writeDrop(paths.spool, event, options);
  } catch (error) {
    noteLostEvent(paths.lostEvents, Date.now());
    throw error;
  }
}

function updateRules(request: InjectRequest, name: string): void {
  try {
    const answer = otherAgents().refreshRules(request, name);
    if (answer !== undefined) recordInjection(request, answer, true);
  } catch (error) {
    logHookError(request.paths.hookLog, request.event.hook ?? "", error);
  }
}

/** cwd() throws if the folder was deleted. Called only if the payload has no cwd. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}

/** The text of Claude Code's status line, read from a small file without opening the database. */
function statusLine(env: Env): string {
  const paths = resolvePaths(env);
  let folder: string | undefined;
  try {
    const fields = asObject(readPayload());
    folder = asString(asObject(fields?.["workspace"])?.["current_dir"] ?? fields?.["cwd"]);
  } catch {
    // Without a folder, the line is about all projects.
  }
  const context = folder === undefined ? undefined : findCaptureContext(folder, paths.config, env);
  if (context?.isBlocked) return "C-Mem is not recording: settings unreadable (c-mem doctor)";
  return context?.isExcluded ? "C-Mem is off here" : activityLine(paths, Date.now());
}

try {
  const [command = "", flag, agent] = process.argv.slice(2);
  const answer =
    command === "statusline"
      ? statusLine(process.env)
      : JSON.stringify(runHook(command, flag === "--agent" ? agent : undefined, process.env));
  if (answer !== undefined) writeSync(1, `${answer}\n`);
} catch {
  // The agent has closed the hook's stdout.
}
process.exit(0);
