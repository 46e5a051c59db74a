// Builds what users run: the hook bundle (CJS, nothing but its job) and the command line (ESM, a chunk per command)
// with the process that embeds.
import { defineConfig, type UserConfig } from "tsdown";
import { sqlText } from "./dev/sql-text.ts";

const shared: UserConfig = {
  platform: "node",
  target: "node20.16",
  dts: false,
  plugins: [sqlText()],
  deps: { alwaysBundle: [/./] },
  logLevel: "warn",
  // jsonc-parser's CommonJS build requires its parts in a way no bundler can follow; its ES build is fine.
  inputOptions: { resolve: { mainFields: ["module", "main"] } },
};

export default defineConfig([
  {
    ...shared,
    entry: { hook: "src/hook/main.ts" },
    format: "cjs",
    outDir: "plugin/dist",
    minify: true,
    fixedExtension: true,
  },
  {
    ...shared,
    entry: { cli: "src/cli/main.ts", "embed-process": "src/embed/embed-process.ts" },
    format: "esm",
    outDir: "dist",
    fixedExtension: true,
  },
]);
