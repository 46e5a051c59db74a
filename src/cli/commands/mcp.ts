// c-mem mcp: an agent's call goes straight to the server's bundle (see bin/c-mem.cjs); here it has arguments, a mistake.
import { AppError } from "../../core/error.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  about: "serve MCP tools to agents, on stdin and stdout",
  fields: { arguments: { kind: "list", position: "[arguments...]", about: "" } },
  run() {
    throw new AppError("usage", "c-mem mcp takes no arguments: it speaks MCP on stdin and stdout.", {
      hint: "`c-mem install` registers it with Claude Code; other agents run the command `c-mem mcp`.",
    });
  },
});
