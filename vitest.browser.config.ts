// Tests of the page in a real browser. One file at a time: each starts a worker and a browser.
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
    // A change passes through a hook, the worker, the stream and the browser.
    expect: { poll: { timeout: 20_000 } },
  },
});
