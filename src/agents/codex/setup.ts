// How C-Mem gets into Codex CLI: hooks in hooks.json, the memory tools in config.toml. Tried with Codex CLI 0.166.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../core/error.ts";
import { type Env, homeOf } from "../agent-files.ts";
import { addToLists, isEmptyJson, parseJsonFile, removeFromLists } from "../json-file.ts";
import { addBlock, outsideBlock, removeBlock } from "../marked-block.ts";
import { type AgentSetup, hookLine, isOurGroup, type ManagedFile, type Program } from "../setup.ts";

/** Others' tools are left to the rollout, so no hook runs for them. A session's end is given three seconds at most. */
const HOOKS = [
  { event: "SessionStart", command: "context", timeout: 10 },
  { event: "UserPromptSubmit", command: "new", timeout: 10 },
  { event: "PreToolUse", matcher: "^(Bash|apply_patch)$", command: "recall", timeout: 5 },
  { event: "PostToolUse", matcher: "^(Bash|apply_patch)$", command: "save", timeout: 10 },
  { event: "Stop", command: "summary", timeout: 10 },
  { event: "SessionEnd", command: "cleanup", timeout: 3 },
];

export const codexSetup: AgentSetup = {
  id: "codex",
  label: "Codex CLI",
  isThere: (env) => existsSync(codexHome(env)),
  files: (env, program) => [hooksFile(join(codexHome(env), "hooks.json"), program), configFile(env, program)],
  told: ["session-start", "prompt", "file", "command", "error"],
  afterwards:
    "Codex CLI asks once whether it may run the new hooks: say yes there, or see /hooks. Until then it runs none.",
};

export function codexHome(env: Env): string {
  return env["CODEX_HOME"] || join(homeOf(env), ".codex");
}

function hooksFile(path: string, program: Program): ManagedFile {
  const hint = "Mend the file, then run the command again.";
  return {
    path,
    about: "add c-mem's hooks",
    add(text = "") {
      parseJsonFile(text, path, { objects: ["hooks"], hint });
      const entries = HOOKS.map(({ event, matcher, command, timeout }) => ({
        path: ["hooks", event] as [string, string],
        value: {
          ...(matcher !== undefined && { matcher }),
          hooks: [{ type: "command", command: hookLine(program, command, "codex"), timeout }],
        },
      }));
      return addToLists(text, entries, isOurGroup);
    },
    remove(text) {
      const left = removeFromLists(text, "hooks", isOurGroup);
      return isEmptyJson(left) ? undefined : left;
    },
  };
}

/** Another table than ours. */
const isForeign = (line: string): boolean => /^\s*\[(?!\s*mcp_servers\s*\.\s*"?c-mem"?\s*[\].])/.test(line);

/** However it is written: as a table, as a key of one, inline. */
const SERVER_ELSEWHERE =
  /^\s*\[+\s*mcp_servers\s*\.\s*["']?c-mem["']?\s*[\].]|^\s*(?:mcp_servers\s*\.\s*)?["']?c-mem["']?\s*[.=]/m;

/** A table in one line is closed: after it, TOML allows no table of the same name, and Codex would read nothing of the file. */
const CLOSED_SERVERS = /^\s*["']?mcp_servers["']?\s*=/m;

function configFile(env: Env, { node, mcp, cache }: Program): ManagedFile {
  const path = join(codexHome(env), "config.toml");
  const lines = [
    "[mcp_servers.c-mem]",
    `command = ${JSON.stringify(node)}`,
    `args = [${JSON.stringify(mcp)}]`,
    `env = { NODE_COMPILE_CACHE = ${JSON.stringify(cache)} }`,
  ];
  return {
    path,
    about: "register the memory tools (the MCP server c-mem)",
    add(text = "") {
      const theirs = outsideBlock(text);
      if (CLOSED_SERVERS.test(theirs.split(/^\s*\[/m)[0] ?? "")) {
        throw new AppError("closed_table", `mcp_servers in ${path} is a table in one line; nothing was changed.`, {
          hint: "Write each server as a table of its own ([mcp_servers.name]), then run the command again.",
        });
      }
      if (SERVER_ELSEWHERE.test(theirs)) {
        throw new AppError("server_taken", `${path} has an MCP server c-mem of its own; nothing was changed.`, {
          hint: "Take that table out or give it another name, then run the command again.",
        });
      }
      return addBlock(text, lines, isForeign);
    },
    remove(text) {
      const left = removeBlock(text, isForeign);
      return left.trim() === "" ? undefined : left;
    },
  };
}
