// C-Mem's MCP server in Codex CLI's config.toml.
import { AppError } from "../../core/error.ts";
import { addBlock, outsideBlock, removeBlock } from "../marked-block.ts";
import type { ManagedFile, Program } from "../setup.ts";

/** Matches the header of a table that is not C-Mem's. */
const isForeign = (line: string): boolean => /^\s*\[(?!\s*mcp_servers\s*\.\s*"?c-mem"?\s*[\].])/.test(line);

/** Matches server c-mem in any spelling: `[mcp_servers.c-mem]`, `mcp_servers.c-mem.command = "x"`, `c-mem = { … }`. */
const OTHER_SERVER =
  /^\s*\[+\s*mcp_servers\s*\.\s*["']?c-mem["']?\s*[\].]|^\s*(?:mcp_servers\s*\.\s*)?["']?c-mem["']?\s*[.=]/m;

/** Matches `mcp_servers = { … }`. TOML allows no `[mcp_servers.x]` after it: Codex would ignore the whole file. */
const INLINE_TABLE = /^\s*["']?mcp_servers["']?\s*=/m;

export function codexConfig(path: string, { node, mcp, cache }: Program): ManagedFile {
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
      const others = outsideBlock(text);
      if (INLINE_TABLE.test(others.split(/^\s*\[/m)[0] ?? "")) {
        throw new AppError("closed_table", `mcp_servers in ${path} is an inline table; nothing was changed.`, {
          hint: "Write each server as a table of its own ([mcp_servers.name]), then run the command again.",
        });
      }
      if (OTHER_SERVER.test(others)) {
        throw new AppError(
          "server_taken",
          `${path} has an MCP server c-mem that is not C-Mem's; nothing was changed.`,
          {
            hint: "Rename or remove it, then run the command again.",
          },
        );
      }
      return addBlock(text, lines, isForeign);
    },
    remove(text) {
      const left = removeBlock(text, isForeign);
      return left.trim() === "" ? undefined : left;
    },
  };
}
