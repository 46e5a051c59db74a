// How C-Mem gets into Gemini CLI: hooks and the memory tools in settings.json. Tried with Gemini CLI 0.61.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { homeOf } from "../agent-files.ts";
import { addToLists, isEmptyJson, parseJsonFile, removeFromLists } from "../json-file.ts";
import { addServer, removeServer } from "../mcp-entry.ts";
import { type AgentSetup, hookLine, isOurGroup, type ManagedFile, type Program } from "../setup.ts";

/** Milliseconds here. Before a tool nothing can be told, so nothing runs; PreCompress fires before every request. */
const HOOKS = [
  { event: "SessionStart", command: "context", timeout: 10_000 },
  { event: "BeforeAgent", command: "new", timeout: 10_000 },
  {
    event: "AfterTool",
    matcher: "^(read_file|replace|write_file|run_shell_command)$",
    command: "save",
    timeout: 10_000,
  },
  { event: "AfterAgent", command: "summary", timeout: 10_000 },
  { event: "SessionEnd", command: "cleanup", timeout: 5_000 },
];

export const geminiSetup: AgentSetup = {
  id: "gemini-cli",
  label: "Gemini CLI",
  isThere: (env) => existsSync(geminiFolder(env)),
  files: (env, program) => [settingsFile(join(geminiFolder(env), "settings.json"), program)],
  told: ["session-start", "prompt", "file", "error"],
  afterwards: "Gemini CLI reads its settings when it starts: start it anew.",
};

function geminiFolder(env: Parameters<typeof homeOf>[0]): string {
  return join(env["GEMINI_CLI_HOME"] || homeOf(env), ".gemini");
}

function settingsFile(path: string, program: Program): ManagedFile {
  const hint = "Mend the file, then run the command again.";
  const place = { path, under: "mcpServers", hint };
  return {
    path,
    about: "add c-mem's hooks and register the memory tools (the MCP server c-mem)",
    add(text = "") {
      parseJsonFile(text, path, { objects: ["hooks", "mcpServers"], hint });
      const entries = HOOKS.map(({ event, matcher, command, timeout }) => ({
        path: ["hooks", event] as [string, string],
        value: {
          ...(matcher !== undefined && { matcher }),
          hooks: [{ name: "c-mem", type: "command", command: hookLine(program, command, "gemini-cli"), timeout }],
        },
      }));
      const server = { command: program.node, args: [program.mcp], env: { NODE_COMPILE_CACHE: program.cache } };
      return addServer(addToLists(text, entries, isOurGroup), place, server);
    },
    remove(text) {
      const left = removeServer(removeFromLists(text, "hooks", isOurGroup), place);
      return isEmptyJson(left) ? undefined : left;
    },
  };
}
