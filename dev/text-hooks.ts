// Lets Node import text files without a bundler: node --import ./dev/text-hooks.ts
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { textImport } from "./text-import.ts";

const { load } = textImport();

registerHooks({
  load(url, context, nextLoad) {
    const text = url.startsWith("file:") ? load(fileURLToPath(url)) : undefined;
    return text === undefined ? nextLoad(url, context) : { format: "module", source: text.code, shortCircuit: true };
  },
});
