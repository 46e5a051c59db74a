// The entry point of `c-mem`, built as c-mem.cjs. Hook commands and the status line with a payload run in the hook
// bundle, `mcp` in the MCP server's, everything else in the command line's.
import { join } from "node:path";
import { runWithBytecodeCache } from "../platform/bytecode-cache.ts";
import { CACHE, resolveHome } from "../config/paths.ts";
import { storePayload } from "../platform/stdin-payload.ts";
import { readPayload } from "./payload.ts";

const HOOKS = new Set(["context", "new", "save", "recall", "summary", "cleanup", "statusline"]);
const PLUGIN = join(import.meta.dirname, "..", "plugin", "dist");
const CLI = join(import.meta.dirname, "cli.cjs");
const HOOK = join(PLUGIN, "hook-main.cjs");

const [command = "", ...rest] = process.argv.slice(2);
const bundle = bundleFor(command, rest);
if (command === "context" && bundle === HOOK) {
  void readPayload().then((payload) => {
    if (payload !== undefined) storePayload(payload);
    start(payload === undefined ? CLI : HOOK);
  });
} else {
  start(bundle);
}

function start(file: string): void {
  runWithBytecodeCache(file, {
    // Installing and uninstalling must leave no cache behind.
    folder: ["install", "uninstall"].includes(command) ? undefined : join(resolveHome(process.env), CACHE),
    use: /^[a-z]{1,12}$/.exec(command)?.[0] ?? "none",
  });
}

function bundleFor(name: string, options: readonly string[]): string {
  const isAlone = options.length === 0;
  if (isAlone && name === "mcp") return join(PLUGIN, "mcp.cjs");
  const isHook = HOOKS.has(name) && (isAlone || options[0] === "--agent");
  // On a terminal a hook command has no payload.
  return isHook && !process.getBuiltinModule("node:tty").isatty(0) ? HOOK : CLI;
}
