// Reads what subagents reported to the agent that started them.
import { asObject, asString, parseJson } from "../../core/json.ts";
import { type Block, readBlocks } from "../../core/prose.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";

export interface SubagentReport {
  /** Item id of the tool use. */
  id: string;
  /** The task in a few words, as the agent named it. */
  title: string;
  /** "Explore", "general-purpose"; or "". */
  agentType: string;
  text: string;
  blocks: Block[];
}

const AGENT_TOOLS = /^(?:Task|Agent|task|spawn_agent)$/;
/** The result of starting a subagent in the background, whose report comes later. */
const STARTED = /^(?:Async agent launched|Agent (?:started|launched)|Spawned)|"status":"async_launched"|^\{"agent_id"/;
const MIN_CHARS = 40;

export function subagentReports({ toolUses }: Pick<TurnEvidence, "toolUses">): SubagentReport[] {
  return toolUses
    .filter(({ isError, isSubagent }) => !isError && !isSubagent)
    .flatMap((use) => {
      if (AGENT_TOOLS.test(use.name)) return reportOf(use);
      return use.name === "TaskOutput" ? readTaskOutput(use) : [];
    });
}

function reportOf({ id, input, output, report }: EvidenceToolUse): SubagentReport[] {
  const title = asString(input["description"]) ?? asString(input["name"]) ?? "";
  const agentType = asString(input["subagent_type"]) ?? asString(input["agent_type"]) ?? "";
  return newReport({ id, title, agentType }, report ?? (STARTED.test(output) ? "" : withoutFooter(output)));
}

/** Claude Code asks for the result of a task in the background, which may also be a shell command. */
function readTaskOutput({ id, output }: EvidenceToolUse): SubagentReport[] {
  const task = asObject(asObject(parseJson(output))?.["task"]);
  if (!/agent/.test(asString(task?.["task_type"]) ?? "") || task?.["status"] !== "completed") return [];
  const text = asString(task["result"]) ?? asString(task["output"]) ?? "";
  return newReport({ id, title: asString(task["description"]) ?? "", agentType: "" }, text);
}

function newReport(fields: Pick<SubagentReport, "id" | "title" | "agentType">, text: string): SubagentReport[] {
  return text.length < MIN_CHARS ? [] : [{ ...fields, text, blocks: readBlocks(text) }];
}

/** Claude Code appends "agentId: … (use SendMessage …)" and token counts for the agent. */
function withoutFooter(output: string): string {
  return output
    .replace(/\n*^agentId: [^\n]{0,300}\s*(?:<usage>[\s\S]*)?$/m, "")
    .replace(/<usage>[\s\S]*?<\/usage>\s*$/, "")
    .trim();
}
