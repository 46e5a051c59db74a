// The suite that looks at the page in a real browser: one file at a time, because each has a worker and a browser of its own.
import { defineConfig } from "vitest/config";
import { textImport } from "./dev/text-import.ts";

export default defineConfig({
  plugins: [textImport()],
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: "test/scratch.ts",
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A page shows it when a hook, the worker, the stream and the browser have each had their turn.
    expect: { poll: { timeout: 20_000 } },
  },
});
