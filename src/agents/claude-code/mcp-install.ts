// Gets our MCP server among those of the user, where there is no plugin to bring it, and out again.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../core/error.ts";
import { isEmptyJson } from "../json-file.ts";
import type { Step } from "../step.ts";
import { asObject } from "../../core/json.ts";
import { addMcpServer, type McpProgram, removeMcpServer } from "./mcp.ts";
import { parseSettings } from "./settings.ts";
import type { ClaudeSite } from "./site.ts";
import { writeSettings } from "../write.ts";

/** `folder` is the plugin's. */
export function mcpProgram(folder: string, { node, cache }: { node: string; cache: string }): McpProgram {
  return { node, bundle: join(folder, "dist", "mcp.cjs"), cache };
}

export interface McpOptions {
  site: ClaudeSite;
  folder: string;
  node: string;
  cache: string;
}

/** Without the plugin: the memory tools go among the user's MCP servers. */
export function registerMcpServer(options: McpOptions): Step[] {
  const { statePath, mcpServer } = options.site;
  if (mcpServer === "other") return [];
  const add = (text: string): string =>
    addMcpServer(checkedState(text, statePath), mcpProgram(options.folder, options));
  const text = readState(statePath);
  if (add(text) === text) return [];
  return [
    {
      about: `register the memory tools (the MCP server c-mem) in ${statePath}`,
      run: () => rewriteState(statePath, add),
    },
  ];
}

export function forgetMcpServer({ statePath, mcpServer }: ClaudeSite): Step[] {
  if (mcpServer === undefined || mcpServer === "other") return [];
  return [
    { about: `take c-mem's memory tools out of ${statePath}`, run: () => rewriteState(statePath, removeMcpServer) },
  ];
}

function readState(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function checkedState(text: string, path: string): string {
  const { mcpServers = {} } = parseSettings(text, path);
  if (asObject(mcpServers) !== undefined) return text;
  throw new AppError("bad_settings", `"mcpServers" in ${path} is not an object; nothing was changed.`, {
    hint: "Mend or remove that entry, then run the command again.",
  });
}

/** Read anew: the client writes it all the time. One that was made for our server alone goes with it. */
function rewriteState(path: string, change: (text: string) => string): void {
  const before = readState(path);
  const after = change(before);
  if (after === before) return;
  if (isEmptyJson(after)) rmSync(path);
  else writeSettings(path, after);
}
