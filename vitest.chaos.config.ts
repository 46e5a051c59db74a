// The suites of faults: damage, full disks, `kill -9`. They load the machine, so they run apart from the other tests.
import { defineConfig } from "vitest/config";
import { textImport } from "./dev/text-import.ts";

export default defineConfig({
  plugins: [textImport()],
  test: { include: ["test/chaos/**/*.test.ts"], globalSetup: "test/scratch.ts", testTimeout: 180_000 },
});
