// A fake claude command that sends its question to a scripted chat server and prints the reply as
// `claude -p --output-format json` does: one script computes the replies of both.
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WIRES } from "./loopback.ts";

/** Returns the folder of the command, for PATH. `url` is that of a chat server. */
export function scriptedClaude(url: string): string {
  const bin = mkdtempSync(join(tmpdir(), "c-mem-claude-"));
  writeFileSync(join(bin, "claude"), `#!${process.execPath}\n${program(url + WIRES.chat.path)}`);
  chmodSync(join(bin, "claude"), 0o755);
  return bin;
}

function program(url: string): string {
  return `
const fs = require("node:fs");
const question = fs.readFileSync(0, "utf8");
const system = process.argv[process.argv.indexOf("--system-prompt") + 1];
const print = (result) => console.log(JSON.stringify({ type: "result", subtype: "success", session_id: "s", num_turns: 1, ...result }));
const messages = [{ role: "system", content: system }, { role: "user", content: question }];
fetch(${JSON.stringify(url)}, { method: "POST", body: JSON.stringify({ messages }) }).then(async (response) => {
  const text = await response.text();
  if (response.status !== 200) {
    process.exitCode = 1;
    return print({ is_error: true, result: "API Error: " + response.status + " " + text, usage: {} });
  }
  if (!text.startsWith("{")) return console.log(text);
  const { choices: [{ message, finish_reason }], usage } = JSON.parse(text);
  print({
    is_error: false,
    result: message.content ?? "",
    stop_reason: message.refusal ? "refusal" : finish_reason === "length" ? "max_tokens" : "end_turn",
    total_cost_usd: 0.0012,
    usage: { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens },
    modelUsage: { "model-of-the-server": {} },
  });
}).catch((error) => {
  process.stderr.write("API Error: Connection error. " + error.message);
  process.exitCode = 1;
});
`;
}
