// npm run test:agents: fetches the clients of the other agents where they are missing, then runs the suite that drives them.
// They are no dependencies of the project: a gigabyte, under their owners' licences, and of use to nothing else here.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const PACKAGES = {
  "@openai/codex": "0.166.0",
  "@google/gemini-cli": "0.61.0",
  "@github/copilot": "1.0.102",
  "opencode-ai": "1.18.33",
};

const root = resolve(import.meta.dirname, "..");
const folder = resolve(process.env["C_MEM_AGENT_CLIENTS"] || join(root, ".client", "agents"));

process.exitCode = main();

function main(): number {
  const missing = Object.keys(PACKAGES).filter((name) => !existsSync(join(folder, "node_modules", name)));
  if (missing.length > 0 && !fetchClients()) {
    console.error(`Could not install ${missing.join(", ")} into ${folder}.`);
    return 1;
  }
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--config", join(root, "vitest.agents.config.ts"), ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, C_MEM_AGENT_CLIENTS: folder },
  });
  return status ?? 1;
}

function fetchClients(): boolean {
  const specs = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  const args = ["install", "--prefix", folder, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", ...specs];
  return spawnSync("npm", args, { stdio: "inherit" }).status === 0;
}
