// Builds the viewer into plugin/dist/viewer. Nothing is loaded from other servers.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: fileURLToPath(new URL("../../plugin/dist/viewer", import.meta.url)),
    emptyOutDir: true,
    target: ["chrome120", "firefox121", "safari17.2"],
    // No inline scripts and no data: URLs: they would need a weaker content security policy.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
});
