// C-Mem's MCP server in Claude Code: in the plugin's .mcp.json, or without the plugin among the user's servers in .claude.json,
// the state file that Claude Code itself writes all the time.
import { asArray, asObject, asString } from "../../core/json.ts";
import { isEmptyJson } from "../json-file.ts";
import { type JsonPart, serverPart } from "../managed-file.ts";
import { editFile, readSettings } from "../settings-file.ts";
import { isOurServer, type Program, SERVER, serverEntry, type Step } from "../setup.ts";

/** Gives the tools their names: mcp__c-mem__search, mcp__plugin_c-mem_memory__search (see core/own-tools.ts). */
const NAME_IN_PLUGIN = "memory";

/** plugin/.mcp.json is written from this. */
export function pluginMcp(program: Program): object {
  return { mcpServers: { [NAME_IN_PLUGIN]: serverEntry(program) } };
}

/** "other": a server of that name which is not C-Mem's; it is never changed. */
export type FoundServer = { node: string; bundle: string } | "other" | undefined;

export function findMcpServer(state: unknown): FoundServer {
  const entry = asObject(asObject(asObject(state)?.["mcpServers"])?.[SERVER]);
  if (entry === undefined) return undefined;
  const bundle = asString(asArray(entry["args"])[0]);
  if (bundle === undefined || !isOurServer({ args: [bundle] })) return "other";
  return { node: asString(entry["command"]) ?? "", bundle };
}

interface StateFile {
  statePath: string;
  mcpServer: FoundServer;
}

/** Without the plugin: the memory tools go among the user's MCP servers. */
export function registerMcpServer({ statePath, mcpServer }: StateFile, program: Program): Step[] {
  if (mcpServer === "other") return [];
  const add = (text: string): string => mcpPart(program).add(text, statePath);
  const text = readSettings(statePath) ?? "";
  if (add(text) === text) return [];
  return [editFile(statePath, `register the memory tools (the MCP server c-mem) in ${statePath}`, add)];
}

/** A file that had only our server is deleted. */
export function forgetMcpServer({ statePath, mcpServer }: StateFile): Step[] {
  if (mcpServer === undefined || mcpServer === "other") return [];
  const remove = (text: string): string | undefined => {
    const left = mcpPart().remove(text, statePath);
    return isEmptyJson(left) ? undefined : left;
  };
  return [editFile(statePath, `remove c-mem's memory tools from ${statePath}`, remove)];
}

export function mcpPart(program?: Program): JsonPart {
  return serverPart("mcpServers", program === undefined ? {} : { type: "stdio", ...serverEntry(program) });
}
