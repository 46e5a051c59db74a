// Runs a program without a shell: the question on stdin, the answer on stdout, a deadline, a limit, nothing left behind.
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

export function runChild(call: ChildCall): Promise<ChildResult> {
  return new Promise((done, fail) => {
    if (call.signal?.aborted) return fail(new LlmError("aborted", "The question was withdrawn"));
    const child = spawn(call.command, call.args, {
      cwd: call.cwd,
      env: call.env,
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
      // A group of its own: what it started goes with it.
      detached: !isWindows,
    });
    const stdout: Buffer[] = [];
    let bytes = 0;
    let stderr = "";
    let failure: LlmError | undefined;
    const end = (error: LlmError): void => {
      failure ??= error;
      killGroup(child);
    };
    const withdraw = (): void => end(new LlmError("aborted", "The question was withdrawn", { spent: "unknown" }));
    const timer = setTimeout(
      () => end(new LlmError("timeout", `No answer within ${call.timeoutMs / 1000} s`, { spent: "unknown" })),
      call.timeoutMs,
    );
    call.signal?.addEventListener("abort", withdraw, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes <= MAX_STDOUT_BYTES) stdout.push(chunk);
      else end(new LlmError("too-large", `The answer is over ${MAX_STDOUT_BYTES} bytes`, { spent: "unknown" }));
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr = (stderr + chunk).slice(-STDERR_BYTES)));
    // It may end without having read all of it; how it ended says why.
    child.stdin.on("error", () => {});
    child.stdin.end(call.input);
    const settle = (error: LlmError | undefined, status: number | null): void => {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", withdraw);
      if (error === undefined) done({ status, stdout: Buffer.concat(stdout).toString("utf8"), stderr });
      else fail(error);
    };
    child.on("error", (cause: NodeJS.ErrnoException) =>
      settle(
        new LlmError("not-found", `${call.command} cannot be run: ${cause.code ?? cause.message}`, { cause }),
        null,
      ),
    );
    child.on("close", (status) => settle(failure, status));
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (isWindows) child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}
