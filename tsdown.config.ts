// Builds what users run: the hook bundle (CJS, nothing but its job) and the command line (a chunk per command).
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
    entry: { cli: "src/cli/main.ts", "reader-thread": "src/capture/reader-thread.ts" },
    // CommonJS: loading its modules takes half the time of ES modules.
    format: "cjs",
    outDir: "dist",
    minify: true,
    fixedExtension: true,
  },
]);
