// Drives the interactive client in a tmux server of its own.
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { CLAUDE, type Lab } from "./lab.ts";

/** The server exits after this if the test does not close it. */
const TIME_LIMIT_SECONDS = 110;
const SCREEN_TIMEOUT_MS = 45_000;
const POLL_MS = 100;
/** If keys come faster, the client takes them for a paste and Enter for a part of the text. */
const TYPING_MS = 400;

export interface Tui {
  /** The screen and its scrollback. */
  screen(): string;
  /** Types a line, presses Enter. */
  say(text: string): Promise<void>;
  waitFor(pattern: RegExp): Promise<void>;
  /** Waits until the client exits, and returns its exit code. */
  waitForExit(): Promise<number>;
  close(): void;
}

export function startTui(lab: Lab, args: string[] = [], env: Record<string, string> = {}): Tui {
  const socket = join(lab.root, "tmux");
  const tmux = (...command: string[]) =>
    execFileSync("tmux", ["-f", "/dev/null", "-S", socket, ...command], {
      encoding: "utf8",
      env: { ...lab.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const session = ["new-session", "-d", "-x", "160", "-y", "50", "-c", lab.project, CLAUDE, ...args];
  const staysAfterExit = ["set-option", "-g", "remain-on-exit", "on"];
  const hasTimeLimit = ["run-shell", "-b", "-d", String(TIME_LIMIT_SECONDS), "-C", "kill-server"];
  tmux(...session, ";", ...staysAfterExit, ";", ...hasTimeLimit);
  const pane = (field: string) => tmux("display-message", "-p", `#{${field}}`).trim();
  const screen = () => tmux("capture-pane", "-p", "-S", "-").trimEnd();
  return {
    screen,
    async say(text) {
      tmux("send-keys", "-l", text);
      await setTimeout(TYPING_MS);
      tmux("send-keys", "Enter");
    },
    waitFor: (pattern) =>
      poll(
        () => pattern.test(screen()),
        () => `${pattern} is not on the screen:\n${screen()}`,
      ),
    async waitForExit() {
      await poll(
        () => pane("pane_dead") === "1",
        () => `the client is still there:\n${screen()}`,
      );
      return Number(pane("pane_dead_status"));
    },
    close() {
      if (!existsSync(socket)) return;
      // After a hangup the client still runs hooks while its home is deleted.
      if (pane("pane_dead") !== "1") process.kill(Number(pane("pane_pid")), "SIGKILL");
      tmux("kill-server");
      rmSync(socket, { force: true });
    },
  };
}

async function poll(isDone: () => boolean, complaint: () => string): Promise<void> {
  const deadline = Date.now() + SCREEN_TIMEOUT_MS;
  while (!isDone()) {
    if (Date.now() > deadline) throw new Error(complaint());
    await setTimeout(POLL_MS);
  }
}
