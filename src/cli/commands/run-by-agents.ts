// Commands that src/cli/start.ts runs in other bundles if they have their input. Without it they print a usage error.
import { AppError } from "../../core/error.ts";
import { defineCommand } from "../command.ts";

export const hook = defineCommand({
  about: "run by agent hooks, with JSON on stdin",
  fields: { agent: { kind: "text", about: "the agent that runs it" } },
  run() {
    throw new AppError("usage", "Agent hooks run this command, with JSON on stdin.", {
      hint: "`c-mem install` sets the hooks up; `c-mem context` shows what an agent gets. To try it: echo '{…}' | c-mem save",
    });
  },
});

export const mcp = defineCommand({
  about: "serve MCP tools to agents, on stdin and stdout",
  fields: { arguments: { kind: "list", position: "[arguments...]", about: "" } },
  run() {
    throw new AppError("usage", "c-mem mcp takes no arguments: it speaks MCP on stdin and stdout.", {
      hint: "`c-mem install` registers it with Claude Code; other agents run the command `c-mem mcp`.",
    });
  },
});
