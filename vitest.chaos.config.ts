// The suite that fills the machine on purpose: by itself, so that no other test's clock suffers from it.
import { defineConfig } from "vitest/config";
import { textImport } from "./dev/text-import.ts";

export default defineConfig({
  plugins: [textImport()],
  test: { include: ["test/chaos/**/*.test.ts"], globalSetup: "test/scratch.ts" },
});
