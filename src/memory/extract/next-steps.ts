// What is still open when a turn ends: failing tests, open tasks, and what the agent said is left.
import { asArray, asObject } from "../../core/json.ts";
import { clip, stripMarkdown } from "../../core/prose.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { shownCommand } from "./commands.ts";
import type { ParsedTurn } from "./extract-turn.ts";
import { capitalise, type Sentence } from "./sentences.ts";
import { countsText } from "./test-results.ts";

/** The probability of the likeliest sentence, plus a share of all: a list of open ends is more certain than one. */
const MIN_OPEN = 0.205;
const SUM_SHARE = 0.15;
const MIN_LISTED = 0.06;
const MAX_SAID = 5;
const STEP_CHARS = 300;

export function nextSteps(turn: ParsedTurn): string[] {
  const { evidence, testResult, sentences } = turn;
  return [
    ...(testResult !== undefined && testResult.counts.failed > 0 && admitsFailure(turn)
      ? [`Tests fail: ${countsText(testResult.counts)} (${shownCommand(testResult.run.command)})`]
      : []),
    ...openTasks(evidence).map((task) => `To do: ${task}`),
    ...awaySummary(evidence),
    ...saidOpen(sentences).map(({ text }) => text),
    ...openRequests(turn),
  ];
}

function saidOpen(sentences: readonly Sentence[]): Sentence[] {
  const said = sentences.filter(({ from, text }) => from === "agent-last" && text.length <= STEP_CHARS);
  const scores = new Map(said.map((sentence) => [sentence, openScore(sentence)]));
  const scoreOf = (sentence: Sentence): number => scores.get(sentence) ?? 0;
  const sum = said.reduce((total, sentence) => total + scoreOf(sentence), 0);
  if (Math.max(0, ...scores.values()) + SUM_SHARE * sum < MIN_OPEN) return [];
  const likeliest = said.toSorted((a, b) => scoreOf(b) - scoreOf(a)).slice(0, MAX_SAID);
  return said.filter((sentence) => likeliest.includes(sentence) && scoreOf(sentence) >= MIN_LISTED);
}

/** Offers, results and statuses are seldom open work, even if they read like it. */
function openScore({ verdict: { chances } }: Sentence): number {
  return chances.N * (1 - chances.A) * (1 - chances.O / 2) * (1 - chances.W / 2) * (1 - chances.V / 2);
}

/** Pull requests that the turn opened and did not merge. */
function openRequests({ deliveries }: ParsedTurn): string[] {
  const numbers = (verb: string): string[] =>
    deliveries.flatMap(({ title }) => new RegExp(String.raw`^${verb} PR #(\d+)`).exec(title)?.[1] ?? []);
  const merged = numbers("Merged");
  return numbers("Opened")
    .filter((number) => !merged.includes(number))
    .map((number) => `PR #${number} is open, not merged yet.`);
}

/** Claude Code's summary for a user who was away: "… Next: review the PR". */
function awaySummary({ messages }: TurnEvidence): string[] {
  const isAway = /\bNext(?: action)?(?:: | is )/;
  const text = messages.findLast((message) => message.role === "system" && isAway.test(message.text))?.text ?? "";
  const next = /\bNext(?: action)?(?:: | is )([\s\S]{5,300})$/.exec(text)?.[1];
  return next === undefined ? [] : [capitalise(stripMarkdown(next))];
}

/** Many projects have tests that fail all the time: only what the last message mentions is open. */
function admitsFailure({ blocks }: ParsedTurn): boolean {
  return blocks.length === 0 || blocks.some(({ text }) => /\b(?:fail(?:s|ed|ing|ures?)?|broken|red)\b/i.test(text));
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
