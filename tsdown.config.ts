// Builds what users run: the hooks, the worker, the process that embeds for it and the MCP server (a CJS bundle each), and the command line
// (a chunk per command).
import { fileURLToPath } from "node:url";
import { defineConfig, type UserConfig } from "tsdown";
import { textImport } from "./dev/text-import.ts";

const shims = fileURLToPath(new URL("dev/mcp-shims.ts", import.meta.url));

const shared: UserConfig = {
  platform: "node",
  target: "node20.16",
  dts: false,
  plugins: [textImport()],
  deps: { alwaysBundle: [/./] },
  logLevel: "warn",
  // jsonc-parser's CommonJS build requires its parts in a way no bundler can follow; its ES build is fine.
  inputOptions: {
    resolve: { mainFields: ["module", "main"], alias: { "@modelcontextprotocol/server/_shims": shims } },
  },
};

/** Several bundles in one folder: none may clean it. */
const bundle: UserConfig = {
  ...shared,
  format: "cjs",
  outDir: "plugin/dist",
  minify: true,
  fixedExtension: true,
  clean: false,
};

export default defineConfig([
  { ...bundle, entry: { hook: "src/hook/start.ts" } },
  { ...bundle, entry: { "hook-main": "src/hook/main.ts" } },
  // Apart, so that a hook that asks nothing does not load them.
  { ...bundle, entry: { recall: "src/hook/reading.ts" } },
  { ...bundle, entry: { context: "src/hook/context.ts" } },
  { ...bundle, entry: { worker: "src/worker/main.ts" } },
  { ...bundle, entry: { mcp: "src/mcp/main.ts" } },
  { ...bundle, entry: { "embed-process": "src/embed/embed-process.ts" } },
  {
    ...shared,
    entry: {
      cli: "src/cli/main.ts",
      "reader-thread": "src/capture/reader-thread.ts",
      "embed-process": "src/embed/embed-process.ts",
    },
    // CommonJS: loading its modules takes half the time of ES modules.
    format: "cjs",
    outDir: "dist",
    minify: true,
    fixedExtension: true,
  },
]);
