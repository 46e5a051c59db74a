#!/usr/bin/env node
// Hook commands and the status line, fed by an agent, go straight to the hook bundle, `mcp` to the MCP server's; everything
// else is the command line.
"use strict";
const HOOKS = ["context", "new", "save", "recall", "summary", "cleanup", "statusline"];
const [command, ...rest] = process.argv.slice(2);
if (HOOKS.includes(command) && (rest.length === 0 || rest[0] === "--agent") && !require("node:tty").isatty(0)) {
  require("../plugin/dist/hook.cjs");
} else {
  // What comes and goes with these must leave nothing behind.
  if (!["install", "uninstall"].includes(command)) keepCompiled();
  require(command === "mcp" && rest.length === 0 ? "../plugin/dist/mcp.cjs" : "../dist/cli.cjs");
}

/** Compiled code is kept in the data directory, where there is one: a command then starts in a fifth less time. */
function keepCompiled() {
  const { enableCompileCache } = require("node:module");
  const { existsSync, mkdirSync } = require("node:fs");
  const home = process.env.C_MEM_HOME || require("node:path").join(require("node:os").homedir(), ".c-mem");
  if (enableCompileCache === undefined || !existsSync(home)) return;
  try {
    mkdirSync(`${home}/cache`, { recursive: true, mode: 0o700 });
    enableCompileCache(`${home}/cache`);
  } catch {
    // A data directory that cannot be written: the command itself says so if it matters.
  }
}
