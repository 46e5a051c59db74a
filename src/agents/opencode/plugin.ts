// The file OpenCode finds in its plugin folder: it loads the plugin itself, which C-Mem keeps among its own things.
import { join } from "node:path";
import type { Program } from "../setup.ts";

const FIRST_LINE = "// Written by C-Mem: `c-mem uninstall opencode` takes it away.";

export function pluginText({ node, hook }: Program): string {
  const bundle = JSON.stringify(join(hook, "..", "opencode.cjs"));
  const program = JSON.stringify({ node, hook });
  return `${FIRST_LINE}\nimport { connect } from ${bundle};\n\nexport const CMem = connect(${program});\n`;
}

export function isOurPlugin(text: string): boolean {
  return text.startsWith(FIRST_LINE);
}
