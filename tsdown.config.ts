// Builds the CJS bundles that users run: hooks, worker, embedding process, MCP server and command line.
import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "tsdown";
import { asciiOnly } from "./dev/ascii-only.ts";
import { pack } from "./dev/pack.ts";
import { textImport } from "./dev/text-import.ts";

const shims = fileURLToPath(new URL("dev/mcp-shims.ts", import.meta.url));

const shared: UserConfig = {
  platform: "node",
  target: "node20.16",
  dts: false,
  plugins: [textImport(), asciiOnly()],
  deps: { alwaysBundle: [/./] },
  logLevel: "warn",
  // jsonc-parser's CommonJS build calls require() in a way that bundlers cannot resolve: prefer its ES build.
  inputOptions: {
    checks: { bundlerTimings: false },
    resolve: { mainFields: ["module", "main"], alias: { "@modelcontextprotocol/server/_shims": shims } },
  },
};

/** `clean` is off because several bundles share a folder. */
const bundle: UserConfig = {
  ...shared,
  format: "cjs",
  outDir: "plugin/dist",
  minify: true,
  fixedExtension: true,
  clean: false,
};

const program: UserConfig = { ...bundle, outDir: "dist" };

export default defineConfig([
  { ...bundle, entry: { hook: "src/hook/start.ts" } },
  { ...bundle, entry: { "hook-main": "src/hook/main.ts" } },
  // Separate bundles: a hook that only records an event of Claude Code does not load them.
  { ...bundle, entry: { recall: "src/hook/event-lookup.ts" } },
  { ...bundle, entry: { context: "src/hook/session-start-context.ts" } },
  { ...bundle, entry: { agents: "src/hook/other-agents.ts" } },
  { ...bundle, entry: { opencode: "src/agents/opencode/plugin.ts" } },
  // server.cjs is a separate chunk: most workers never get an HTTP request.
  { ...bundle, entry: { worker: "src/worker/main.ts" }, outputOptions: { chunkFileNames: "server.cjs" } },
  { ...bundle, entry: { mcp: "src/mcp/main.ts" } },
  { ...bundle, entry: { "embed-process": "src/embed/embed-process.ts" } },
  { ...program, entry: { "c-mem": "src/cli/start.ts" } },
  { ...program, entry: { cli: "src/cli/main.ts" }, plugins: [textImport(), asciiOnly(), pack("cli.cjs")] },
  { ...program, entry: { "reader-thread": "src/capture/sync/reader-thread.ts" } },
  { ...program, entry: { "embed-process": "src/embed/embed-process.ts" } },
]);
