// The suite that drives the real client: one file at a time, because each run already fills the machine.
import { defineConfig } from "vitest/config";
import { textImport } from "./dev/text-import.ts";

export default defineConfig({
  plugins: [textImport()],
  test: {
    include: ["test/client/**/*.test.ts"],
    globalSetup: "test/scratch.ts",
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
