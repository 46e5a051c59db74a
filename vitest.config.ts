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
    // Most of them wait for processes: by default two cores would run one file at a time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
