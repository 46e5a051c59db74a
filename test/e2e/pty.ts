// Runs a command on a pseudo terminal: uses `script` of util-linux instead of a native addon.
import { spawn, spawnSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { BIN, type World } from "./harness.ts";

const TIMEOUT_MS = 45_000;
const POLL_MS = 20;

export interface Pty {
  type(keys: string): void;
  /** The last frame without colours. */
  screen(): string;
  /** All output so far. */
  sent(): string;
  waitFor(pattern: RegExp): Promise<void>;
  exit: Promise<number | null>;
}

export function hasPty(): boolean {
  return spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;
}

/** `after`: a shell command that runs next on the same terminal, to check its state. */
export function startPty(
  world: World,
  options: { args?: string; cwd?: string; after?: string; size?: string; env?: Record<string, string> } = {},
): Pty {
  const command = `"${process.execPath}" "${BIN}" ${options.args ?? ""}`;
  const line = `stty ${options.size ?? "rows 24 cols 80"}; ${command}; code=$?; ${options.after ?? ":"}; exit $code`;
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd: options.cwd ?? world.project,
    env: { ...world.env, TERM: "xterm", SHELL: "/bin/sh", ...options.env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const sent = (): string => Buffer.concat(chunks).toString();
  const screen = (): string => plain(sent().split("\u001b[H").at(-1) ?? "");
  return {
    type: (keys) => child.stdin.write(keys),
    screen,
    sent,
    async waitFor(pattern) {
      const deadline = Date.now() + TIMEOUT_MS;
      while (!pattern.test(screen())) {
        if (Date.now() > deadline) throw new Error(`${pattern} is not on the screen:\n${screen()}`);
        await setTimeout(POLL_MS);
      }
    },
    exit: new Promise((done) => child.on("close", (status) => done(status))),
  };
}

function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, "").replaceAll("\r", "");
}
