// Finds the next steps after a turn: failing tests, open tasks, and remaining work that the agent named.
import { TURN_INTERRUPTED } from "../../core/memory.ts";
import { asArray, asObject } from "../../core/json.ts";
import { clip, stripMarkdown, sentencesOf } from "../../core/prose.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { shownCommand } from "./commands.ts";
import type { ParsedTurn } from "./extract-turn.ts";
import type { FinalMessage } from "./final-message.ts";
import { isOpenItem, openEnd } from "./judge.ts";
import { capitalise } from "./sentences.ts";
import { countsText } from "./test-results.ts";

export function nextSteps({ evidence, final, testResult }: ParsedTurn): string[] {
  return [
    ...(testResult !== undefined && testResult.counts.failed > 0
      ? [`Tests fail: ${countsText(testResult.counts)} (${shownCommand(testResult.run.command)})`]
      : []),
    ...openTasks(evidence).map((task) => `To do: ${task}`),
    ...awaySummary(evidence),
    ...stepsIn(final).slice(0, 4),
    ...(wasInterrupted(evidence) ? [TURN_INTERRUPTED] : []),
  ];
}

/** Claude Code's summary for a user who was away: "… Next: review the PR". */
function awaySummary({ messages }: TurnEvidence): string[] {
  const isAway = /\bNext(?: action)?(?:: | is )/;
  const text = messages.findLast((message) => message.role === "system" && isAway.test(message.text))?.text ?? "";
  const next = /\bNext(?: action)?(?:: | is )([\s\S]{5,300})$/.exec(text)?.[1];
  return next === undefined ? [] : [capitalise(stripMarkdown(next))];
}

function stepsIn({ blocks }: FinalMessage): string[] {
  return blocks.flatMap((block) => {
    if (isOpenItem(block)) return [block.text];
    return block.kind === "text" ? sentencesOf(block.text).flatMap((text) => openEnd(text) ?? []) : [];
  });
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
