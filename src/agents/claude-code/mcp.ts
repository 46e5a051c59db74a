// Our MCP server as Claude Code is told of it: in the plugin's .mcp.json, or, without the plugin, among the user's servers
// in the client's own state file, beside much that is not ours.
import { editJson, removeJson } from "../json-file.ts";
import { asObject, asString } from "../../core/json.ts";

export interface McpProgram {
  /** The Node it runs with. */
  node: string;
  bundle: string;
  /** Where Node keeps compiled code: the client waits for every server before its first request. */
  cache: string;
}

/** What the tools are called by: mcp__c-mem__search, mcp__plugin_c-mem_memory__search (see core/own-tools.ts). */
const NAME = "c-mem";
const NAME_IN_PLUGIN = "memory";
const PATH: [string, string] = ["mcpServers", NAME];

/** How ours is told from others, wherever C-Mem is installed. */
const OUR_BUNDLE = /[\\/]c-mem[\\/]dist[\\/]mcp\.cjs$/;

/** plugin/.mcp.json is this, written out. */
export function pluginMcp(program: McpProgram): object {
  return { mcpServers: { [NAME_IN_PLUGIN]: serverEntry(program) } };
}

function serverEntry({ node, bundle, cache }: McpProgram): object {
  return { command: node, args: [bundle], env: { NODE_COMPILE_CACHE: cache } };
}

/** "other": somebody has registered a server by our name, and it stays as it is. */
export type FoundServer = { node: string; bundle: string } | "other" | undefined;

export function findMcpServer(state: unknown): FoundServer {
  const entry = asObject(asObject(asObject(state)?.["mcpServers"])?.[NAME]);
  if (entry === undefined) return undefined;
  const args = entry["args"];
  const bundle = Array.isArray(args) ? asString(args[0]) : undefined;
  if (bundle === undefined || !OUR_BUNDLE.test(bundle)) return "other";
  return { node: asString(entry["command"]) ?? "", bundle };
}

export function addMcpServer(text: string, program: McpProgram): string {
  return editJson(text, PATH, { type: "stdio", ...serverEntry(program) });
}

/** What that leaves empty is removed as well. */
export function removeMcpServer(text: string): string {
  return removeJson(text, PATH);
}
