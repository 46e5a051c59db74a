// The agents besides Claude Code that C-Mem can be installed into, one row each. Kept out of spec.ts, because only
// `install`, `uninstall` and `doctor` need the code that edits files.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asObject } from "../core/json.ts";
import { type Env, homeOf } from "./agent-files.ts";
import { codexHome } from "./codex/discover.ts";
import { codexConfig } from "./codex/config-toml.ts";
import { copilotHome } from "./copilot-cli/discover.ts";
import { CURSOR_RULES } from "./cursor/rules.ts";
import { cursorProjectFiles } from "./cursor/project-files.ts";
import { geminiFolder } from "./gemini-cli/discover.ts";
import { type HookRow, hooksPart, jsonFile, ownFile, serverPart } from "./managed-file.ts";
import { type AgentSetup, hookLine, isOurCommand, isOurGroup, json, type Program, serverEntry } from "./setup.ts";

/** Tested with Codex CLI 0.166. Uses of other tools are read from the transcript. */
const CODEX_HOOKS: readonly HookRow[] = [
  ["SessionStart", "context", 10],
  ["UserPromptSubmit", "new", 10],
  ["PreToolUse", "recall", 5, "^(Bash|apply_patch)$"],
  ["PostToolUse", "save", 10, "^(Bash|apply_patch)$"],
  ["Stop", "summary", 10],
  ["SessionEnd", "cleanup", 3],
];

/** Tested with Gemini CLI 0.61. No BeforeTool, which cannot inject; no PreCompress, which runs before every request. */
const GEMINI_HOOKS: readonly HookRow[] = [
  ["SessionStart", "context", 10_000],
  ["BeforeAgent", "new", 10_000],
  ["AfterTool", "save", 10_000, "^(read_file|replace|write_file|run_shell_command)$"],
  ["AfterAgent", "summary", 10_000],
  ["SessionEnd", "cleanup", 5_000],
];

/** Tested with Copilot CLI 1.0.102, except the command line for Windows. */
const COPILOT_HOOKS: readonly HookRow[] = [
  ["sessionStart", "context", 10],
  ["userPromptSubmitted", "new", 10],
  ["preToolUse", "recall", 5],
  ["postToolUse", "save", 10],
  ["postToolUseFailure", "save", 10],
  ["agentStop", "summary", 10],
  ["sessionEnd", "cleanup", 5],
];

/** From Cursor's documentation, untested. No hook that decides whether a tool may run: a bug would stop the agent. */
const CURSOR_HOOKS: readonly HookRow[] = [
  ["sessionStart", "context", 10],
  ["beforeSubmitPrompt", "new", 10],
  ["postToolUse", "save", 10],
  ["postToolUseFailure", "save", 10],
  ["afterAgentResponse", "summary", 10],
  ["stop", "summary", 10],
  ["sessionEnd", "cleanup", 5],
];

export const SETUPS: readonly AgentSetup[] = [
  {
    id: "codex",
    label: "Codex CLI",
    folder: codexHome,
    files: (env, program) => [
      jsonFile(join(codexHome(env), "hooks.json"), [
        hooksPart(CODEX_HOOKS, isOurGroup, (command, timeout) => ({
          hooks: [{ type: "command", command: hookLine(program, command, "codex"), timeout }],
        })),
      ]),
      codexConfig(join(codexHome(env), "config.toml"), program),
    ],
    surfaces: ["session-start", "prompt", "file", "command", "error"],
    afterwards: "Codex CLI runs the new hooks only after you allow them: it asks once, or see /hooks.",
  },
  {
    id: "gemini-cli",
    label: "Gemini CLI",
    folder: geminiFolder,
    files: (env, program) => [
      jsonFile(join(geminiFolder(env), "settings.json"), [
        hooksPart(GEMINI_HOOKS, isOurGroup, (command, timeout) => ({
          hooks: [{ name: "c-mem", type: "command", command: hookLine(program, command, "gemini-cli"), timeout }],
        })),
        serverPart("mcpServers", serverEntry(program)),
      ]),
    ],
    surfaces: ["session-start", "prompt", "file", "error"],
    afterwards: "Restart Gemini CLI: it reads its settings when it starts.",
  },
  {
    id: "copilot-cli",
    label: "Copilot CLI",
    folder: copilotHome,
    files: (env, program) => [
      ownFile(join(copilotHome(env), "hooks", "c-mem.json"), "add c-mem's hooks", copilotHooks(program), isOurCommand),
      jsonFile(join(copilotHome(env), "mcp-config.json"), [
        serverPart("mcpServers", { type: "local", ...serverEntry(program), tools: ["*"] }),
      ]),
    ],
    surfaces: ["session-start", "prompt", "file", "command", "error"],
    afterwards: "Restart Copilot CLI: it reads its hooks when it starts.",
  },
  {
    id: "opencode",
    label: "OpenCode",
    folder: openCodeFolder,
    files(env, program) {
      const { node, mcp, cache } = program;
      const server = { type: "local", command: [node, mcp], environment: { NODE_COMPILE_CACHE: cache }, enabled: true };
      return [
        ownFile(join(openCodeFolder(env), "plugin", "c-mem.js"), "add c-mem's plugin", pluginText(program), (text) =>
          text.startsWith(PLUGIN_HEADER),
        ),
        jsonFile(openCodeConfig(openCodeFolder(env)), [serverPart("mcp", server)]),
      ];
    },
    surfaces: ["session-start", "prompt", "file", "command", "error"],
    afterwards: "Restart OpenCode: it loads plugins when it starts.",
  },
  {
    id: "cursor",
    label: "Cursor",
    folder: cursorFolder,
    files: (env, program, projects) => [
      jsonFile(
        join(cursorFolder(env), "hooks.json"),
        [
          hooksPart(
            CURSOR_HOOKS,
            (entry) => isOurCommand(asObject(entry)?.["command"]),
            (command, timeout) => ({ command: hookLine(program, command, "cursor"), timeout }),
          ),
        ],
        1,
      ),
      jsonFile(join(cursorFolder(env), "mcp.json"), [serverPart("mcpServers", serverEntry(program))]),
      ...cursorProjectFiles(projects),
    ],
    perProject: true,
    surfaces: ["session-start", "prompt", "error"],
    afterwards: `Cursor also reads context from ${CURSOR_RULES}, in the working trees where you ran this; git ignores that file.`,
  },
];

function copilotHooks(program: Program): string {
  const hooks = COPILOT_HOOKS.map(([event, command, timeoutSec]) => {
    const line = hookLine(program, command, "copilot-cli");
    return [event, [{ type: "command", bash: line, powershell: `& ${line}`, timeoutSec }]];
  });
  return json({ version: 1, hooks: Object.fromEntries(hooks) as object });
}

const PLUGIN_HEADER = "// Written by C-Mem: `c-mem uninstall opencode` takes it away.";

/** OpenCode loads this file, which loads the plugin from C-Mem's own folder. */
function pluginText({ node, hook }: Program): string {
  const bundle = JSON.stringify(join(hook, "..", "opencode.cjs"));
  const program = JSON.stringify({ node, hook });
  return `${PLUGIN_HEADER}\nimport { connect } from ${bundle};\n\nexport const CMem = connect(${program});\n`;
}

function openCodeFolder(env: Env): string {
  return env["OPENCODE_CONFIG_DIR"] || join(env["XDG_CONFIG_HOME"] || join(homeOf(env), ".config"), "opencode");
}

/** The config file that exists, else the one to create. */
function openCodeConfig(folder: string): string {
  const paths = ["opencode.json", "opencode.jsonc", "config.json"].map((name) => join(folder, name));
  return paths.find((path) => existsSync(path)) ?? join(folder, "opencode.json");
}

function cursorFolder(env: Env): string {
  return join(homeOf(env), ".cursor");
}
