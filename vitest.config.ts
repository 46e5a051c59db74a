import { defineConfig } from "vitest/config";
import { sqlText } from "./dev/sql-text.ts";

export default defineConfig({
  plugins: [sqlText()],
  test: {
    include: ["src/**/*.test.ts", "test/e2e/**/*.test.ts"],
    globalSetup: "test/scratch.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
