// How C-Mem gets into Copilot CLI: a file of hooks of its own, the memory tools in mcp-config.json. Tried with Copilot CLI 1.0.102;
// the line for Windows was not.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isEmptyJson } from "../json-file.ts";
import { addServer, removeServer } from "../mcp-entry.ts";
import { ownFile, serversFile } from "../managed-file.ts";
import { type AgentSetup, hookLine, isOurCommand, json, type Program } from "../setup.ts";
import { copilotHome } from "./discover.ts";

const HOOKS = [
  { event: "sessionStart", command: "context", timeoutSec: 10 },
  { event: "userPromptSubmitted", command: "new", timeoutSec: 10 },
  { event: "preToolUse", command: "recall", timeoutSec: 5 },
  { event: "postToolUse", command: "save", timeoutSec: 10 },
  { event: "postToolUseFailure", command: "save", timeoutSec: 10 },
  { event: "agentStop", command: "summary", timeoutSec: 10 },
  { event: "sessionEnd", command: "cleanup", timeoutSec: 5 },
];

export const copilotSetup: AgentSetup = {
  id: "copilot-cli",
  label: "Copilot CLI",
  isThere: (env) => existsSync(copilotHome(env)),
  files(env, program) {
    const home = copilotHome(env);
    const path = join(home, "mcp-config.json");
    const place = { path, under: "mcpServers", hint: "Mend the file, then run the command again." };
    const { node, mcp, cache } = program;
    const server = { type: "local", command: node, args: [mcp], env: { NODE_COMPILE_CACHE: cache }, tools: ["*"] };
    return [
      ownFile(join(home, "hooks", "c-mem.json"), "add c-mem's hooks", hooksText(program), isOurCommand),
      serversFile(path, {
        add: (text) => addServer(text, place, server),
        remove: (text) => removeServer(text, place),
        isEmpty: isEmptyJson,
      }),
    ];
  },
  told: ["session-start", "prompt", "file", "command", "error"],
  afterwards: "Copilot CLI reads its hooks when it starts: start it anew.",
};

function hooksText(program: Program): string {
  const hooks = HOOKS.map(({ event, command, timeoutSec }) => {
    const line = hookLine(program, command, "copilot-cli");
    return [event, [{ type: "command", bash: line, powershell: `& ${line}`, timeoutSec }]];
  });
  return json({ version: 1, hooks: Object.fromEntries(hooks) as object });
}
