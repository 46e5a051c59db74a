// c-mem mcp: started by an agent it goes straight to the server's bundle (see bin/c-mem.cjs); what comes here is a mistake.
import { AppError } from "../../core/error.ts";

export function run(): never {
  throw new AppError("usage", "c-mem mcp takes no arguments: it speaks MCP on stdin and stdout.", {
    hint: "`c-mem install` registers it with Claude Code; other agents run the command `c-mem mcp`.",
  });
}
