// A throw-away machine for the real client: its own home, settings, projects, data directory and model.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { createWorld, type World } from "../e2e/harness.ts";
import { type FakeModel, startFakeModel } from "./fake-model.ts";
import { waitForHooks } from "./running-hooks.ts";
import { scripts } from "./scripts.ts";

/** Set by dev/suite.ts. */
export const CLAUDE = process.env["C_MEM_CLIENT"] ?? "";

const API_KEY = "made-up-key-for-a-model-on-loopback";

export interface Lab extends World {
  root: string;
  /** A second project without recorded sessions. */
  other: string;
  settings: string;
  model: FakeModel;
}

/** A lab that is deleted after its test. */
export async function testLab(): Promise<Lab> {
  const lab = await createLab();
  onTestFinished(() => closeLab(lab));
  return lab;
}

export async function createLab(): Promise<Lab> {
  if (CLAUDE === "") throw new Error("C_MEM_CLIENT is not set: start this suite with npm run test:client.");
  const world = createWorld();
  const root = dirname(world.project);
  const model = await startFakeModel({ scripts, waitForHooks: () => waitForHooks(root) });
  const other = join(root, "other");
  const bin = join(root, "bin");
  mkdirSync(bin);
  symlinkSync(CLAUDE, join(bin, "claude"));
  const env = { ...world.env, ...clientEnv(model, root), PATH: [bin, world.env["PATH"]].join(delimiter) };
  for (const folder of [world.project, other]) createProject(folder, env);
  mkdirSync(world.claudeDir);
  writeFileSync(join(world.claudeDir, ".claude.json"), JSON.stringify(clientState([world.project, other])));
  return { ...world, env, root, other, settings: join(world.claudeDir, "settings.json"), model };
}

export async function closeLab(lab: Lab): Promise<void> {
  await lab.model.close();
  rmSync(lab.root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** No network except the model, no account; IS_SANDBOX lets root skip permissions. */
function clientEnv(model: FakeModel, root: string): Record<string, string> {
  return {
    CLAUDE_CODE_TMPDIR: join(root, "tmp"),
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: API_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    IS_SANDBOX: "1",
  };
}

/** The client's state after its first questions (theme, key, trust). */
function clientState(trusted: string[]): object {
  return {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [API_KEY.slice(-20)], rejected: [] },
    projects: Object.fromEntries(trusted.map((folder) => [folder, { hasTrustDialogAccepted: true }])),
  };
}

const FILES = {
  "README.md": "# Example\n",
  "add.mjs": "export function add(a, b) {\n  return a - b;\n}\n",
  "check.mjs":
    'import { add } from "./add.mjs";\nif (add(1, 2) !== 3) {\n  console.error(`Error: 1 + 2 is not ${add(1, 2)}`);\n  process.exit(1);\n}\n',
};

/** A repository with a bug, and a check that finds it. */
function createProject(folder: string, env: Record<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  for (const args of [
    ["init", "-q", "-b", "trunk"],
    ["add", "."],
    ["commit", "-q", "-m", "initial"],
  ]) {
    execFileSync("git", ["-c", "user.name=Dev", "-c", "user.email=dev@example.com", ...args], { cwd: folder, env });
  }
}
