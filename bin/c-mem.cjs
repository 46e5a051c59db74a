#!/usr/bin/env node
// Hook commands fed by an agent go straight to the hook bundle; everything else is the command line.
"use strict";
const HOOKS = ["context", "new", "save", "summary", "cleanup", "drain"];
const [command, ...rest] = process.argv.slice(2);
if (HOOKS.includes(command) && rest.length === 0 && !require("node:tty").isatty(0)) {
  require("../plugin/dist/hook.cjs");
} else {
  require("../dist/cli.cjs");
}
