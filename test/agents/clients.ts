// The real clients, each set up for a model on loopback: its settings, its script and its command line.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Result, World } from "../e2e/harness.ts";
import type { Call } from "./fake-models.ts";

const FOLDER = join(process.env["C_MEM_AGENT_CLIENTS"] ?? "", "node_modules");

export interface Client {
  agent: string;
  /** The model's tool calls: read or list something, run a command that fails, change app.txt. */
  calls(project: string): Call[];
  /** Path below the home folder -> content. */
  settings(port: number): Record<string, string>;
  env(port: number): Record<string, string>;
  command(prompt: string): string[];
}

const PATCH = "*** Begin Patch\n*** Update File: app.txt\n@@\n-hello\n+hello world\n*** End Patch\n";
const FAILING = "ls nope-dir";

export const CLIENTS: readonly Client[] = [
  {
    agent: "codex",
    calls: () => [
      ["exec_command", { cmd: "cat app.txt" }],
      ["exec_command", { cmd: FAILING }],
      ["apply_patch", PATCH],
    ],
    settings: (port) => ({
      ".codex/config.toml": `model = "gpt-5.5"
model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:${port}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
`,
    }),
    env: () => ({ FAKE_KEY: "x" }),
    // The flags allow what a person would confirm once.
    command: (prompt) => [
      process.execPath,
      join(FOLDER, "@openai", "codex", "bin", "codex.js"),
      "exec",
      "--dangerously-bypass-approvals-and-sandbox",
      "--dangerously-bypass-hook-trust",
      prompt,
    ],
  },
  {
    agent: "gemini-cli",
    calls: (project) => [
      ["read_file", { file_path: "app.txt" }],
      ["run_shell_command", { command: FAILING, description: "list" }],
      [
        "replace",
        { file_path: join(project, "app.txt"), instruction: "x", old_string: "hello", new_string: "hello world" },
      ],
    ],
    settings: () => ({ ".gemini/settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}}}\n' }),
    env: (port) => ({ GEMINI_API_KEY: "x", GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}` }),
    command: (prompt) => [
      process.execPath,
      join(FOLDER, "@google", "gemini-cli", "bundle", "gemini.js"),
      "--yolo",
      "--skip-trust",
      "-m",
      "gemini-2.5-pro",
      "-p",
      prompt,
    ],
  },
  {
    agent: "copilot-cli",
    calls: (project) => [
      ["view", { path: join(project, "app.txt") }],
      ["bash", { command: FAILING, description: "list" }],
      ["edit", { path: join(project, "app.txt"), old_str: "hello", new_str: "hello world" }],
    ],
    settings: () => ({}),
    env: (port) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
      COPILOT_PROVIDER_API_KEY: "x",
      COPILOT_MODEL: "gpt-4.1",
    }),
    command: (prompt) => [
      process.execPath,
      join(FOLDER, "@github", "copilot", "npm-loader.js"),
      "--allow-all-tools",
      "--allow-all-paths",
      "-p",
      prompt,
    ],
  },
  {
    agent: "opencode",
    calls: (project) => [
      ["read", { filePath: join(project, "app.txt") }],
      ["bash", { command: FAILING, description: "list" }],
      ["edit", { filePath: join(project, "app.txt"), oldString: "hello", newString: "hello world" }],
    ],
    settings: (port) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        model: "fake/m",
        small_model: "fake/m",
        autoupdate: false,
        permission: { "*": "allow" },
        provider: {
          fake: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "x" },
            models: { m: { tool_call: true, limit: { context: 100_000, output: 4_000 } } },
          },
        },
      }),
    }),
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    command: (prompt) => [
      join(FOLDER, `opencode-${process.platform}-${process.arch}`, "bin", "opencode"),
      "run",
      prompt,
    ],
  },
];

export function writeSettings(world: World, client: Client, port: number): void {
  for (const [name, text] of Object.entries(client.settings(port))) {
    const path = join(world.env["HOME"] ?? "", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** A session takes seconds; a client that hangs must not take the suite with it. */
const TIMEOUT_MS = 90_000;

export function runClient(world: World, client: Client, port: number, prompt: string): Promise<Result> {
  const [command = "", ...args] = client.command(prompt);
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: world.project,
      env: { ...world.env, ...client.env(port) },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    const text = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text.stdout += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text.stderr += chunk));
    child.on("close", (status, signal) => done({ status, signal, ...text }));
  });
}
