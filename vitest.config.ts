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
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
