// How C-Mem gets into OpenCode: a plugin of its own, the memory tools in opencode.json. Tried with OpenCode 1.18.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Env, homeOf } from "../agent-files.ts";
import { isEmptyJson } from "../json-file.ts";
import { addServer, removeServer } from "../mcp-entry.ts";
import { ownFile, serversFile } from "../managed-file.ts";
import type { AgentSetup } from "../setup.ts";
import { isOurPlugin, pluginText } from "./plugin.ts";

export const openCodeSetup: AgentSetup = {
  id: "opencode",
  label: "OpenCode",
  isThere: (env) => existsSync(configFolder(env)),
  files(env, program) {
    const folder = configFolder(env);
    const path = configFile(folder);
    const place = { path, under: "mcp", hint: "Mend the file, then run the command again." };
    const { node, mcp, cache } = program;
    const server = { type: "local", command: [node, mcp], environment: { NODE_COMPILE_CACHE: cache }, enabled: true };
    return [
      ownFile(join(folder, "plugin", "c-mem.js"), "add c-mem's plugin", pluginText(program), isOurPlugin),
      serversFile(path, {
        add: (text) => addServer(text, place, server),
        remove: (text) => removeServer(text, place),
        isEmpty: isEmptyJson,
      }),
    ];
  },
  told: ["session-start", "prompt", "file", "command", "error"],
  afterwards: "OpenCode loads plugins when it starts: start it anew.",
};

function configFolder(env: Env): string {
  return env["OPENCODE_CONFIG_DIR"] || join(env["XDG_CONFIG_HOME"] || join(homeOf(env), ".config"), "opencode");
}

/** The one that is there; comments are allowed in both. */
function configFile(folder: string): string {
  const names = ["opencode.json", "opencode.jsonc", "config.json"].map((name) => join(folder, name));
  return names.find((path) => existsSync(path)) ?? join(folder, "opencode.json");
}
