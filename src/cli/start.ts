// The way in for what is typed as `c-mem`, or started so by an agent: hook commands and the status line, fed by an agent, go to the hook
// bundle, `mcp` to the MCP server's, everything else to the command line. Built as c-mem.cjs.
import { join } from "node:path";
import { runCompiled } from "../config/compiled.ts";
import { CACHE, resolveHome } from "../config/paths.ts";

const HOOKS = new Set(["context", "new", "save", "recall", "summary", "cleanup", "statusline"]);
const PLUGIN = join(import.meta.dirname, "..", "plugin", "dist");

const [command = "", ...rest] = process.argv.slice(2);
runCompiled(bundleFor(command, rest), {
  // What comes and goes with these must leave nothing behind.
  folder: ["install", "uninstall"].includes(command) ? undefined : join(resolveHome(process.env), CACHE),
  use: /^[a-z]{1,12}$/.exec(command)?.[0] ?? "none",
});

function bundleFor(name: string, options: readonly string[]): string {
  const isAlone = options.length === 0;
  if (isAlone && name === "mcp") return join(PLUGIN, "mcp.cjs");
  const isHook = HOOKS.has(name) && (isAlone || options[0] === "--agent");
  // A person at a terminal who types the name of a hook wants to see something.
  if (isHook && !process.getBuiltinModule("node:tty").isatty(0)) return join(PLUGIN, "hook-main.cjs");
  return join(import.meta.dirname, "cli.cjs");
}
