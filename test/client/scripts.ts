// The fake model's answers. A prompt names its script with [[script:NAME]].
import { join } from "node:path";
import type { ModelRequest, Scripts } from "./fake-model.ts";

export const LAST_ANSWER = "add() had a minus sign; it adds now and the check passes.";
export const REPORT = "The README has one heading.";
export const CHECK = "node check.mjs";

export const DECISION = { text: "add must never subtract.", type: "decision", reason: "The check failed." };
export const HANDOVER = {
  title: "add() adds again",
  handover: "add.mjs is fixed\nNext: the same for sub()",
  decisions: "Keep check.mjs as the only check, because it is fast",
  open: "Look at sub()",
};

/** The answer to a request for notes. */
export const OBSERVED = { observations: [], summary: { request: "A & B < C" } };

/** A bug found by a failing command, fixed, checked, noted; and a subagent that looks at the README. */
const work: Scripts[string] = [
  (request) => [
    { thinking: "Look first." },
    { text: "Let me look." },
    tool("Read", { file_path: inProject(request, "add.mjs") }),
  ],
  () => [bash(CHECK)],
  (request) => [tool("Edit", { file_path: inProject(request, "add.mjs"), old_string: "a - b", new_string: "a + b" })],
  () => [bash(CHECK), bash("echo parallel")],
  (request) => [tool("Write", { file_path: inProject(request, "notes.md"), content: "# Notes\nadd() adds\n" })],
  () => [
    tool("Agent", {
      description: "Read the README",
      prompt: "Look at the README [[script:look]]",
      subagent_type: "general-purpose",
      run_in_background: false,
    }),
  ],
  () => [{ text: LAST_ANSWER }],
];

const look: Scripts[string] = [
  (request) => [tool("Read", { file_path: inProject(request, "README.md") })],
  () => [bash("ls")],
  () => [{ text: REPORT }],
];

/** The client's own default: the subagent runs on while the turn ends, and a machine prompt reports its end. */
const delegate: Scripts[string] = [
  () => [
    tool("Agent", {
      description: "Read the README",
      prompt: "Look at the README [[script:look]]",
      subagent_type: "general-purpose",
    }),
  ],
  () => [{ text: "It is on its way." }],
];

/** Reads and changes a file. */
const touch: Scripts[string] = [
  (request) => [tool("Read", { file_path: inProject(request, "add.mjs") })],
  (request) => [
    tool("Edit", { file_path: inProject(request, "add.mjs"), old_string: "return", new_string: "return  " }),
  ],
  () => [bash("ls")],
  () => [{ text: "Touched." }],
];

/** A subagent whose task earlier sessions match. */
const ask: Scripts[string] = [
  () => [
    tool("Agent", {
      description: "Look into the drift",
      prompt:
        "Find out why the frobnicator calibration drifts with the quartz oscillator of the telescope [[script:look]]",
      subagent_type: "general-purpose",
      run_in_background: false,
    }),
  ],
  () => [{ text: "Asked." }],
];

export const WRONG = "node tool.mjs report --quartz";
export const RIGHT = "node tool.mjs report";

/** A command with an unknown option, then without it. */
const stumble: Scripts[string] = [
  () => [bash(WRONG)],
  () => [bash(RIGHT)],
  () => [{ text: "Without the option it works." }],
];
const wrong: Scripts[string] = [() => [bash(WRONG)], () => [{ text: "It failed." }]];
const right: Scripts[string] = [() => [bash(RIGHT)], () => [{ text: "It passed." }]];

export const scripts: Scripts = {
  touch,
  stumble,
  wrong,
  right,
  ask,
  hello: [() => [{ text: "Hello from the model." }]],
  work,
  look,
  delegate,
  slow: [() => [bash("sleep 8 && echo slept")], () => [{ text: "Slept." }]],
  list: [() => [bash("ls")], () => [{ text: "Listed." }]],
  observe: [() => [{ text: JSON.stringify(OBSERVED) }]],
  // The client sends the names of MCP tools, and their schemas only on request.
  recall: [
    (request) => [tool("ToolSearch", { query: `select:${memoryTool(request)}`, max_results: 5 })],
    (request) => [tool(memoryTool(request), { query: "why does add subtract" })],
    () => [{ text: "Recalled." }],
  ],
  forget: [
    (request) => [tool("ToolSearch", { query: `select:${memoryTool(request, "forget")}`, max_results: 5 })],
    (request) => [tool(memoryTool(request, "forget"), { ids: ["o1"], confirm: true })],
    () => [{ text: "So much for that." }],
  ],
  decide: [
    (request) => [tool("ToolSearch", { query: `select:${memoryTool(request, "remember")}`, max_results: 5 })],
    (request) => [tool(memoryTool(request, "remember"), DECISION)],
    () => [{ text: "Noted." }],
  ],
  // The command names the session: it fills in "${CLAUDE_SESSION_ID}".
  handover: [
    (request) => [tool("ToolSearch", { query: `select:${memoryTool(request, "handover")}`, max_results: 5 })],
    (request) => [
      tool(memoryTool(request, "handover"), {
        ...HANDOVER,
        session: /`session: "([^"`]+)"`/.exec(request.text)?.[1] ?? "",
      }),
    ],
    () => [{ text: "Handed over." }],
  ],
  secret: [() => [bash("echo SECRETOUTPUT")], () => [{ text: "SECRETANSWER" }]],
};

function tool(name: string, input: object): { tool: string; input: object } {
  return { tool: name, input };
}

function bash(command: string): { tool: string; input: object } {
  return tool("Bash", { command, description: "Run it" });
}

/** The name of C-Mem's tool, which differs with and without the plugin. */
function memoryTool(request: ModelRequest, wanted = "search"): string {
  const shown = request.text + JSON.stringify(request.body.system);
  const name = new RegExp(`mcp__(?:plugin_c-mem_memory|c-mem)__${wanted}`).exec(shown)?.[0];
  if (name === undefined) throw new Error("The request does not name our tools.");
  return name;
}

/** The system prompt names the folder; file tools need absolute paths. */
function inProject(request: ModelRequest, name: string): string {
  const folder = /Primary working directory: ([^\n"\\]+)/.exec(request.text + JSON.stringify(request.body.system))?.[1];
  if (folder === undefined) throw new Error("The request does not say where the project is.");
  return join(folder.trim(), name);
}
