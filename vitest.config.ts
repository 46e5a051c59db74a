import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { textImport } from "./dev/text-import.ts";

export default defineConfig({
  plugins: [textImport()],
  test: {
    include: [
      "src/**/*.test.ts",
      "test/e2e/**/*.test.ts",
      "test/conformance/**/*.test.ts",
      "test/{secrets,security}/**/*.test.ts",
    ],
    globalSetup: "test/scratch.ts",
    // Most of them wait for processes. By default two cores would run one file at a time; three use both cores.
    maxWorkers: availableParallelism() + 1,
    // Some start sixty processes: a machine that is busy with others takes ten times as long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
