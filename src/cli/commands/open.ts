// c-mem open: starts the worker if needed, and opens the page with a one-time link.
import { x } from "tinyexec";
import { userSettings } from "../../config/load.ts";
import type { Paths } from "../../config/paths.ts";
import { readServer, type ServerRecord } from "../../platform/state/server-record.ts";
import { findWorker } from "../../platform/worker-lock.ts";
import { AppError } from "../../core/error.ts";
import { EXIT, print, printJson, say } from "../output.ts";
import { startWorker, waitUntil } from "../worker-control.ts";
import { defineCommand } from "../command.ts";

const ANSWER_MS = 5_000;
const LISTEN_MS = 5_000;

export const command = defineCommand({
  about: "open the page in your browser",
  fields: {
    browser: { kind: "flag", isNegative: true, about: "only print the link" },
    print: { kind: "flag", about: "same as --no-browser" },
  },
  async run(input, { json, paths, env }) {
    if (userSettings(paths, env).port === 0) {
      throw new AppError("switched_off", "The page is switched off (port: 0).", { hint: "c-mem config unset port" });
    }
    await startWorker(paths);
    const url = await askForLink(await findServer(paths));
    const opener = !input.browser || input.print || json ? undefined : findOpener(env);
    const isOpened = opener !== undefined && (await opens(opener, url));
    if (json) printJson("open", { url, opened: isOpened });
    else if (isOpened) say("The page is open in your browser.");
    else {
      print(url);
      say("The link works once, within a minute.");
    }
    return EXIT.ok;
  },
});

/** A new worker needs a moment before it listens. */
async function findServer(paths: Paths): Promise<ServerRecord & { port: number }> {
  const server = await waitUntil(LISTEN_MS, () => {
    const record = readServer(paths.server);
    const pid = findWorker(paths.workerLock, Date.now())?.pid;
    return record?.port && record.pid === pid ? { ...record, port: record.port } : undefined;
  });
  if (server !== undefined) return server;
  const { problem = "The worker runs, but does not serve the page." } = readServer(paths.server) ?? {};
  throw new AppError("not_served", problem, {
    hint: "`c-mem worker logs` says why; `c-mem worker restart` tries again.",
  });
}

async function askForLink({ port, token }: { port: number; token: string }): Promise<string> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/links`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const { data } = (await response.json()) as { data: { url: string } };
    return data.url;
  } catch (error) {
    throw new AppError("not_served", "The worker does not answer.", {
      hint: "`c-mem worker logs` says why; `c-mem worker restart` tries again.",
      cause: error,
    });
  }
}

/** The command that opens a link; undefined without a desktop. */
function findOpener(env: NodeJS.ProcessEnv): [string, ...string[]] | undefined {
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  const hasDesktop = Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"]) && !env["SSH_CONNECTION"];
  return hasDesktop ? ["xdg-open"] : undefined;
}

async function opens([program, ...args]: [string, ...string[]], url: string): Promise<boolean> {
  try {
    const { exitCode } = await x(program, [...args, url], { timeout: ANSWER_MS, nodeOptions: { stdio: "ignore" } });
    return exitCode === 0;
  } catch {
    return false;
  }
}
