// Reads plans that the user approved: title, reason and steps.
import { asObject, asString, parseJson } from "../../core/json.ts";
import { type Block, readBlocks, sentencesOf, wholeSentences } from "../../core/prose.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";

export interface Plan {
  title: string;
  /** The first sentences of its context, or "". */
  why: string;
  steps: string[];
}

export interface ApprovedPlan extends Plan {
  /** Item id of the tool use or prompt. */
  id: string;
  /** "dialog": approved in the agent's dialog; "prompt": the prompt says to implement it. */
  approvedIn: "dialog" | "prompt";
}

const MAX_STEPS = 12;
const WHY_CHARS = 420;

export function approvedPlans({ prompt, toolUses }: TurnEvidence): ApprovedPlan[] {
  const inPrompt = planInPrompt(prompt.text);
  const plans = toolUses.flatMap((use) => {
    const plan = use.isError || use.isSubagent ? undefined : readPlan(planOf(use));
    return plan === undefined ? [] : [{ ...plan, id: use.id, approvedIn: "dialog" as const }];
  });
  return [...(inPrompt === undefined ? [] : [{ ...inPrompt, id: prompt.id, approvedIn: "prompt" as const }]), ...plans];
}

const PREAMBLE =
  /^\s*(?:please\s+)?(?:implement|execute|carry out)\s+(?:the following|this|the)\s+(?:approved\s+)?plan\s*[:.]?[ \t]*\n/i;

/** "Implement the following plan:\n\n# Plan: Retry uploads …" (Claude Code); "PLEASE IMPLEMENT THIS PLAN:" (Codex). */
export function planInPrompt(prompt: string): Plan | undefined {
  const preamble = PREAMBLE.exec(prompt)?.[0];
  return preamble === undefined ? undefined : readPlan(prompt.slice(preamble.length));
}

/** The plan that Codex writes into its message in plan mode; the user approves it with the next prompt. */
export function proposedPlan(message: string): Plan | undefined {
  const text = /<proposed_plan>([\s\S]*?)(?:<\/proposed_plan>|$)/.exec(message)?.[1];
  return text === undefined ? undefined : readPlan(text);
}

const PLAN_TOOLS = /^(?:ExitPlanMode|exit_plan_mode|exitplanmode|plan_exit|create_plan)$/;

/** The plan as approved, which the user may have edited, else the plan of the call. */
function planOf({ name, input, output }: EvidenceToolUse): string {
  if (!PLAN_TOOLS.test(name) || REJECTED.test(output)) return "";
  const structured = asString(asObject(parseJson(output.startsWith("{") ? output : undefined))?.["plan"]);
  const approved = structured ?? /^## Approved Plan[^\n]*\n([\s\S]+)$/m.exec(output)?.[1];
  return approved ?? asString(input["plan"]) ?? asString(input["summary"]) ?? "";
}

/** Agents whose tool does not fail if the user declines the plan. */
const REJECTED =
  /^\s*(?:plan (?:was )?(?:rejected|declined|not approved)|(?:the )?user (?:rejected|declined|wants to keep planning))/i;

const PREFIX = /^(?:(?:implementation|design|fix) )?(?:plan|task|feature|todo|spec|design|prd)\s*[:—–-]\s*/i;
const REASON = /^(?:context|background|problem|motivation|why|overview|goals?|summary|objective)\b/i;
/** Sections that are no steps. */
const ASIDE =
  /^(?:context|background|problem|motivation|why|overview|goals?|summary|objective|verification|verify|testing|tests?\b|test plan|notes?|critical (?:notes|files)|key files|files?\b|references?|risks?|out of scope|non-goals|open questions|alternatives|assumptions|structure|approach|changes|steps|implementation(?: steps| plan)?|design(?: decisions)?)\b/i;
const STEP =
  /^(?:(?:step|phase|task|part|change)\s*)?(?:\d{1,2}(?:\.\d{1,2})?|[A-H])\s*[.):—–-]+\s*|^(?:step|phase|task|part|change)\s+\d{1,2}\s*/i;

/** Undefined without a title. */
export function readPlan(markdown: string): Plan | undefined {
  const blocks = readBlocks(markdown);
  const [title, ...sections] = blocks.filter(({ kind }) => kind === "heading").map(({ text }) => text);
  if (title === undefined || blocks.length < 2) return undefined;
  return { title: titleOf(title), why: reasonOf(blocks, title), steps: stepsOf(blocks, sections).slice(0, MAX_STEPS) };
}

function titleOf(heading: string): string {
  const text = heading.replace(PREFIX, "").replace(/\s+plan$/i, "");
  return text.replaceAll("`", "").trim();
}

function reasonOf(blocks: readonly Block[], title: string): string {
  const texts = blocks.filter(({ kind }) => kind === "text");
  const reason = texts.find(({ section }) => REASON.test(section)) ?? texts.find(({ section }) => section === title);
  const sentences = sentencesOf(reason?.text ?? "").filter((sentence) => !/[:;,]$/.test(sentence));
  return sentences.length === 0 ? "" : wholeSentences(sentences.slice(0, 3), WHY_CHARS);
}

/** Numbered headings, else headings that are no aside, else the items of the first section with a list of steps. */
function stepsOf(blocks: readonly Block[], headings: readonly string[]): string[] {
  const numbered = headings.filter((text) => STEP.test(text)).map((text) => text.replace(STEP, ""));
  const named = headings.filter((text) => !ASIDE.test(text) && !/^`?[\w@./-]+\.\w{1,5}`?$/.test(text));
  const section = blocks.find(({ kind, section: name }) => kind === "item" && isWork(name))?.section;
  const items = blocks.filter((block) => block.kind === "item" && block.section === section).map(({ text }) => text);
  const steps = [numbered, named, items].find((found) => found.length > 0) ?? [];
  return [...new Set(steps.map((step) => step.trim()).filter((step) => step !== ""))];
}

function isWork(section: string): boolean {
  return /^(?:changes|steps|implementation|approach|plan|tasks?|what to|structure)/i.test(section) || section === "";
}
