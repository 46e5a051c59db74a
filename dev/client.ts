// npm run test:client: fetches the real Claude Code client where it is missing, then runs the suite that drives it.
// It is no dependency of the project: 366 MB, under its owner's licence, and of use to nothing else here.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const VERSION = "2.1.325";
const PACKAGE = "@anthropic-ai/claude-code";

const root = resolve(import.meta.dirname, "..");
const folder = resolve(process.env["C_MEM_CLIENT_DIR"] || join(root, ".client"));
const installed = join(folder, "node_modules", PACKAGE);
const client = join(installed, "bin", "claude.exe");

process.exitCode = main();

function main(): number {
  if (spawnSync("tmux", ["-V"]).status !== 0) {
    console.error(
      "tmux is missing: the interactive client needs a terminal (apt-get install tmux, brew install tmux).",
    );
    return 1;
  }
  if (installedVersion() !== VERSION && !fetchClient()) {
    console.error(`Could not install ${PACKAGE}@${VERSION} into ${folder}.`);
    return 1;
  }
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--config", join(root, "vitest.client.config.ts"), ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, C_MEM_CLIENT: client },
  });
  return status ?? 1;
}

function installedVersion(): string | undefined {
  if (!existsSync(client)) return undefined;
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { version: string };
  return manifest.version;
}

function fetchClient(): boolean {
  console.error(`Installing ${PACKAGE}@${VERSION} into ${folder} ...`);
  const args = ["install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", `${PACKAGE}@${VERSION}`];
  return spawnSync("npm", args, { stdio: ["ignore", "inherit", "inherit"] }).status === 0 && existsSync(client);
}
