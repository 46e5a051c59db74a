// Runs a program without a shell, with a deadline and an output limit. Beyond these, kills the program and, except on
// Windows, its child processes.
import { type ChildProcess, spawn } from "node:child_process";
import { LlmError } from "./error.ts";

const MAX_STDOUT_BYTES = 4 * 1024 * 1024;
const STDERR_BYTES = 4 * 1024;
const isWindows = process.platform === "win32";

export interface ChildCall {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  input: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface ChildResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

export function runChild({ command, args, cwd, env, input, timeoutMs, signal }: ChildCall): Promise<ChildResult> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new LlmError("aborted", "The request was cancelled"));
    // `detached` creates a process group, so that the program's children can be killed too.
    const child = spawn(command, args, { cwd, env, windowsHide: true, detached: !isWindows });
    const stdout: Buffer[] = [];
    let bytes = 0;
    let stderr = "";
    let failure: LlmError | undefined;
    const kill = (kind: LlmError["kind"], message: string): void => {
      failure ??= new LlmError(kind, message, { spent: "unknown" });
      killGroup(child);
    };
    const deadline = AbortSignal.timeout(timeoutMs);
    const stop = AbortSignal.any(signal === undefined ? [deadline] : [deadline, signal]);
    const onStop = (): void => {
      if (deadline.aborted) kill("timeout", `No answer within ${timeoutMs / 1000} s`);
      else kill("aborted", "The request was cancelled");
    };
    stop.addEventListener("abort", onStop);
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes <= MAX_STDOUT_BYTES) stdout.push(chunk);
      else kill("too-large", `The answer is over ${MAX_STDOUT_BYTES} bytes`);
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr = (stderr + chunk).slice(-STDERR_BYTES)));
    // Ignore EPIPE: a program that exits early explains why in its output.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.on("error", (cause: NodeJS.ErrnoException) => {
      stop.removeEventListener("abort", onStop);
      reject(new LlmError("not-found", `${command} cannot be run: ${cause.code ?? cause.message}`, { cause }));
    });
    child.on("close", (status) => {
      stop.removeEventListener("abort", onStop);
      if (failure !== undefined) reject(failure);
      else resolve({ status, stdout: Buffer.concat(stdout).toString("utf8"), stderr });
    });
  });
}

export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (isWindows) child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}
