// Runs the real client headless and reads its report about the hooks.
import { spawn } from "node:child_process";
import type { Result } from "../e2e/harness.ts";
import type { ModelRequest } from "./fake-model.ts";
import { CLAUDE, type Lab } from "./lab.ts";

/** A session takes two seconds; a client that hangs must not take the suite with it. */
const TIMEOUT_MS = 60_000;

export interface ClientOptions {
  args?: string[];
  cwd?: string;
  env?: Record<string, string>;
}

export interface HookRun {
  event: string;
  outcome: string;
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

export interface Session {
  id: string;
  answer: string;
  hooks: HookRun[];
  /** The requests of this session, without subagents. */
  requests: ModelRequest[];
}

export function claude(lab: Lab, args: string[], options: ClientOptions = {}): Promise<Result> {
  return new Promise((done) => {
    const child = spawn(CLAUDE, args, {
      cwd: options.cwd ?? lab.project,
      env: { ...lab.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    const text = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text.stdout += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text.stderr += chunk));
    child.on("close", (status, signal) => done({ status, signal, ...text }));
  });
}

/** One prompt from start to end, as `claude -p` does it. Throws if the client reports a hook error. */
export async function session(lab: Lab, prompt: string, options: ClientOptions = {}): Promise<Session> {
  const output = ["--output-format", "stream-json", "--verbose", "--include-hook-events"];
  const args = ["-p", prompt, ...output, "--permission-mode", "bypassPermissions", ...(options.args ?? [])];
  const result = await claude(lab, args, options);
  if (result.signal !== null) throw new Error(`claude -p took over ${TIMEOUT_MS} ms: ${result.stdout}`);
  const lines = parseLines(result.stdout);
  const end = lines.findLast((line) => line["type"] === "result");
  const hooks = lines.filter((line) => line["subtype"] === "hook_response").map(hookRun);
  const isFine = result.status === (end?.["is_error"] ? 1 : 0) && result.stderr === "" && hooks.every(isQuiet);
  if (end === undefined || !isFine) throw new Error(`claude -p: ${JSON.stringify(result)}`);
  const id = String(end["session_id"]);
  return { id, answer: String(end["result"]), hooks, requests: mainRequests(lab, id) };
}

/** The client kills async hooks at its exit and logs it, but does not show it. */
function isQuiet({ event, outcome, exitCode, stderr }: HookRun): boolean {
  const wasCut = outcome === "cancelled" && event.startsWith("PostToolUse");
  return stderr === "" && (wasCut || (outcome === "success" && exitCode === 0));
}

/** The context injected into this request. */
export function memoryIn(request: ModelRequest | undefined): string {
  return /<c-mem-context>[\s\S]*<\/c-mem-context>/.exec(request?.text ?? "")?.[0] ?? "";
}

export function mainRequests(lab: Lab, sessionId: string): ModelRequest[] {
  return lab.model.requests.filter((request) => request.sessionId === sessionId && request.agentId === undefined);
}

function parseLines(stdout: string): Record<string, unknown>[] {
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function hookRun(line: Record<string, unknown>): HookRun {
  return {
    event: String(line["hook_event"]),
    outcome: String(line["outcome"]),
    exitCode: line["exit_code"] as number | undefined,
    stdout: String(line["stdout"] ?? ""),
    stderr: String(line["stderr"] ?? ""),
  };
}
