// What is still open when a turn ends: failing tests, open tasks, and what the agent said is left.
import { TURN_INTERRUPTED } from "../../core/memory.ts";
import { asArray, asObject } from "../../core/json.ts";
import { clip, stripMarkdown } from "../../core/prose.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { shownCommand } from "./commands.ts";
import type { ParsedTurn } from "./extract-turn.ts";
import { capitalise, type Sentence } from "./sentences.ts";
import { countsText } from "./test-results.ts";

const MIN_OPEN = 0.18;
const MIN_IN_SECTION = 0.05;
const MAX_SAID = 3;
const STEP_CHARS = 300;
const NEXT_SECTION =
  /^(?:next|remaining|todo|to do|follow[- ]?up|open|outstanding|not (?:done|yet|started)|pending|blocked|deferred|known (?:gap|issue|limitation)|what(?:['’]s|’s| is) (?:next|left)|still )/i;

export function nextSteps(turn: ParsedTurn): string[] {
  const { evidence, testResult, sentences } = turn;
  return [
    ...(testResult !== undefined && testResult.counts.failed > 0
      ? [`Tests fail: ${countsText(testResult.counts)} (${shownCommand(testResult.run.command)})`]
      : []),
    ...openTasks(evidence).map((task) => `To do: ${task}`),
    ...awaySummary(evidence),
    ...saidOpen(sentences).map(({ text }) => text),
    ...(wasInterrupted(evidence) ? [TURN_INTERRUPTED] : []),
  ];
}

function saidOpen(sentences: readonly Sentence[]): Sentence[] {
  const scoreOf = ({ block, verdict: { chances } }: Sentence): number =>
    NEXT_SECTION.test(block.section) ? Math.max(chances.N, chances.N >= MIN_IN_SECTION ? 0.3 : 0) : chances.N;
  const open = sentences
    .filter(({ from, text }) => from === "agent-last" && text.length <= STEP_CHARS)
    .filter((sentence) => scoreOf(sentence) >= MIN_OPEN)
    .sort((a, b) => scoreOf(b) - scoreOf(a))
    .slice(0, MAX_SAID);
  return sentences.filter((sentence) => open.includes(sentence));
}

/** Claude Code's summary for a user who was away: "… Next: review the PR". */
function awaySummary({ messages }: TurnEvidence): string[] {
  const isAway = /\bNext(?: action)?(?:: | is )/;
  const text = messages.findLast((message) => message.role === "system" && isAway.test(message.text))?.text ?? "";
  const next = /\bNext(?: action)?(?:: | is )([\s\S]{5,300})$/.exec(text)?.[1];
  return next === undefined ? [] : [capitalise(stripMarkdown(next))];
}

/** The agent recorded the interruption, or the turn has no end and no message after its last tool use. */
function wasInterrupted({ prompt, toolUses, messages }: TurnEvidence): boolean {
  if (prompt.state !== "interrupted") return false;
  const lastUse = toolUses.findLast(({ isSubagent }) => !isSubagent);
  const lastMessage = messages.findLast(
    ({ role, isSubagent, text }) => role === "assistant" && !isSubagent && text.trim() !== "",
  );
  return prompt.endedAt !== null || (lastUse !== undefined && !(lastMessage && lastMessage.at >= lastUse.at));
}

const MAX_TASKS = 5;
const TASK_CHARS = 120;
const DONE: ReadonlySet<unknown> = new Set(["completed", "done", "deleted", "cancelled"]);
/** Tools that write the whole task list, each with the name of the input field that contains it. */
const LIST_TOOLS: Readonly<Record<string, string>> = { TodoWrite: "todos", write_todos: "todos", update_plan: "plan" };

/** Unfinished tasks on the agent's task list. */
function openTasks({ toolUses }: TurnEvidence): string[] {
  const tasks = new Map<string, { text: string; isDone: boolean }>();
  for (const { name, input, output, isError } of toolUses) {
    if (isError) continue;
    const list = Object.hasOwn(LIST_TOOLS, name) ? input[LIST_TOOLS[name] as string] : undefined;
    if (Array.isArray(list)) {
      tasks.clear();
      for (const [index, entry] of asArray(list).map(asObject).entries()) {
        const text = taskText(entry?.["content"] ?? entry?.["step"] ?? entry?.["description"]);
        tasks.set(String(index), { text, isDone: DONE.has(entry?.["status"]) });
      }
    } else if (name === "TaskCreate") {
      const id = /"id":\s*"?(\d+)/.exec(output)?.[1] ?? String(tasks.size + 1);
      tasks.set(id, { text: taskText(input["subject"] ?? input["title"]), isDone: false });
    } else if (name === "TaskUpdate") {
      const task = tasks.get(String(input["taskId"]));
      if (task !== undefined) task.isDone = DONE.has(input["status"]);
    }
  }
  return [...tasks.values()]
    .filter(({ isDone, text }) => !isDone && text !== "")
    .slice(0, MAX_TASKS)
    .map(({ text }) => text);
}

function taskText(value: unknown): string {
  return typeof value === "string" ? clip(stripMarkdown(value.slice(0, 1_000)), TASK_CHARS) : "";
}
