// Downloads Claude's Agent SDK for the provider `agent-sdk`. It is not part of C-Mem: it has its own licence, and
// brings a program of 373 MB.
import { rmSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { x } from "tinyexec";
import type { Step } from "../agents/setup.ts";
import type { Env, Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { AGENT_SDK, agentSdkFolder, findAgentSdk, packageFiles, PLATFORM } from "../llm/agent-sdk/package.ts";

const FETCH_TIMEOUT_MS = 900_000;
const MAX_ERROR_CHARS = 500;

/** No steps if this version is installed. */
export function installAgentSdk(paths: Paths, env: Env): Step[] {
  if (findAgentSdk(paths) !== undefined) return [];
  const folder = agentSdkFolder(paths);
  return [
    {
      about: `download Claude's Agent SDK from npm (${AGENT_SDK}, 380 MB on disk; Anthropic's licence applies) into ${folder}`,
      progress: "Downloading the Agent SDK …",
      run: async () => {
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        for (const [name, content] of Object.entries(packageFiles()))
          writeFileSync(join(folder, name), JSON.stringify(content, null, 2), { mode: 0o600 });
        // `npm ci` rejects packages whose checksum differs from the lockfile's.
        const options = "--ignore-scripts --include=optional --legacy-peer-deps --no-audit --no-fund".split(" ");
        const npm = { timeout: FETCH_TIMEOUT_MS, nodeOptions: { env: { ...env } } };
        const { exitCode, stderr } = await x("npm", ["ci", "--prefix", folder, ...options], npm);
        if (exitCode === 0 && findAgentSdk(paths) !== undefined) return;
        // npm skips an optional package whose download fails or has another checksum.
        const reason = exitCode === 0 ? `npm has not installed its program for ${PLATFORM}` : stderr.trim();
        throw new AppError("fetch_failed", `Could not download ${AGENT_SDK}: ${reason.slice(-MAX_ERROR_CHARS)}`, {
          hint: "Try again, or use your Claude Code instead: c-mem config set provider claude",
        });
      },
    },
  ];
}
