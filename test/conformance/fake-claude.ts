// A fake claude command: prints a scene as `claude -p --output-format json` does, and logs its calls.
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Scene, USAGE } from "./scenes.ts";

export interface FakeClaude {
  /** The folder of the fake command, for PATH. */
  bin: string;
  /** A file with a JSON line for each call: argv, env, cwd, stdin. */
  log: string;
}

export interface ClaudeCall {
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  stdin: string;
}

export function fakeClaude(scene: Scene): FakeClaude {
  const bin = mkdtempSync(join(tmpdir(), "c-mem-claude-"));
  const log = join(bin, "calls.jsonl");
  mkdirSync(join(bin, "home"));
  writeFileSync(join(bin, "claude"), `#!${process.execPath}\n${program(scene, log)}`);
  chmodSync(join(bin, "claude"), 0o755);
  return { bin, log };
}

function program(scene: Scene, log: string): string {
  return `
const fs = require("node:fs");
const stdin = fs.readFileSync(0, "utf8");
fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify({ argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), stdin }) + "\\n");
${action(scene)}
`;
}

function action(scene: Scene): string {
  switch (scene.kind) {
    case "silence":
    case "drip":
      // Starts a child process, which must be killed too.
      return `require("node:child_process").spawn("sleep", ["60"]); setInterval(() => {}, 1000);`;
    case "flood":
      return `for (;;) fs.writeSync(1, "x".repeat(60000));`;
    case "nonsense":
      return `console.log("<html>hi");`;
    case "reset":
    case "broken-off":
      return `process.stderr.write("API Error: Connection error."); process.exit(1);`;
    case "status":
      return print(
        {
          is_error: true,
          subtype: "success",
          result: `API Error: ${scene.status} ${scene.message ?? "no"}`,
          usage: {},
        },
        1,
      );
    case "error-in-stream":
      return print({ is_error: true, subtype: "success", result: `API Error: 529 ${scene.type}`, usage: {} }, 1);
    case "refusal":
      return print({ is_error: false, subtype: "success", result: "", stop_reason: "refusal" });
    case "truncated":
      return print({ is_error: false, subtype: "success", result: "Once upon a", stop_reason: "max_tokens" });
    case "words":
      return print({ is_error: false, subtype: "success", result: scene.text, stop_reason: "end_turn" });
    case "answer":
      return print({
        is_error: false,
        subtype: "success",
        result: JSON.stringify(scene.value),
        stop_reason: "end_turn",
      });
  }
}

function print(result: object, exitCode = 0): string {
  const whole = {
    type: "result",
    session_id: "s",
    num_turns: 1,
    total_cost_usd: 0.0012,
    usage: {
      input_tokens: USAGE.input - 4,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 1,
      output_tokens: USAGE.output,
    },
    modelUsage: { "model-of-the-server": {} },
    ...result,
  };
  return `console.log(${JSON.stringify(JSON.stringify(whole))}); process.exitCode = ${exitCode};`;
}
