// Builds the viewer into plugin/dist/viewer: hashed files, nothing from other servers.
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
    // Inline scripts and data: URLs would need a weaker content security policy.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
});
