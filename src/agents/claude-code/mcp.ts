// C-Mem's MCP server in Claude Code: in the plugin's .mcp.json, or without the plugin among the user's servers in .claude.json,
// the state file that Claude Code itself writes all the time.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { asArray, asObject, asString } from "../../core/json.ts";
import { editJson, isEmptyJson, parseJsonFile, removeJson } from "../json-file.ts";
import { isOurServer, type Program, SERVER, serverEntry, type Step } from "../setup.ts";
import { writeSettings } from "../settings-file.ts";

/** Gives the tools their names: mcp__c-mem__search, mcp__plugin_c-mem_memory__search (see core/own-tools.ts). */
const NAME_IN_PLUGIN = "memory";
const PATH: [string, string] = ["mcpServers", SERVER];

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

export function addMcpServer(text: string, program: Program): string {
  return editJson(text, PATH, { type: "stdio", ...serverEntry(program) });
}

export function removeMcpServer(text: string): string {
  return removeJson(text, PATH);
}

interface StateFile {
  statePath: string;
  mcpServer: FoundServer;
}

/** Without the plugin: the memory tools go among the user's MCP servers. */
export function registerMcpServer({ statePath, mcpServer }: StateFile, program: Program): Step[] {
  if (mcpServer === "other") return [];
  const add = (text: string): string => {
    parseJsonFile(text, statePath, ["hooks", "mcpServers"]);
    return addMcpServer(text, program);
  };
  const text = readState(statePath);
  if (add(text) === text) return [];
  const about = `register the memory tools (the MCP server c-mem) in ${statePath}`;
  return [{ about, run: () => rewriteState(statePath, add) }];
}

export function forgetMcpServer({ statePath, mcpServer }: StateFile): Step[] {
  if (mcpServer === undefined || mcpServer === "other") return [];
  const about = `take c-mem's memory tools out of ${statePath}`;
  return [{ about, run: () => rewriteState(statePath, removeMcpServer) }];
}

function readState(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Reads the file again: Claude Code may have written it since. A file that had only our server is deleted. */
function rewriteState(path: string, change: (text: string) => string): void {
  const before = readState(path);
  const after = change(before);
  if (after === before) return;
  if (isEmptyJson(after)) rmSync(path);
  else writeSettings(path, after);
}
