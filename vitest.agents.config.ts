// The suite that drives the real clients of agents other than Claude Code, one at a time.
import { defineConfig } from "vitest/config";
import { textImport } from "./dev/text-import.ts";

export default defineConfig({
  plugins: [textImport()],
  test: {
    include: ["test/agents/**/*.test.ts"],
    globalSetup: "test/scratch.ts",
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
});
