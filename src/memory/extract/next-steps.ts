// What is still open when a turn ends: failing tests, open tasks, and what the agent said is left.
import { clip, stripMarkdown } from "../../core/prose.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { readCompactionSummary } from "../sources/compaction-summary.ts";
import { foldTasks, openTasks } from "../sources/tasks.ts";
import { shownCommand } from "./commands.ts";
import type { ParsedTurn } from "./extract-turn.ts";
import { capitalise, type Sentence } from "./sentences.ts";
import { countsText } from "./test-results.ts";

/** The probability of the likeliest sentence, plus a share of all: a list of open ends is more certain than one. */
const MIN_OPEN = 0.23;
const SUM_SHARE = 0.15;
const MIN_LISTED = 0.06;
/** Beside an open end that is certain, a sentence with a small share of its score is something else. */
const LISTED_SHARE = 0.12;
const MAX_SAID = 5;
const STEP_CHARS = 300;

export function nextSteps(turn: ParsedTurn): string[] {
  const { evidence, testResult, sentences } = turn;
  return [
    ...(testResult !== undefined && testResult.counts.failed > 0 && admitsFailure(turn)
      ? [`Tests fail: ${countsText(testResult.counts)} (${shownCommand(testResult.run.command)})`]
      : []),
    ...openTasksOf(evidence).map((task) => `To do: ${task}`),
    ...pendingAfterCompaction(evidence),
    ...awaySummary(evidence),
    ...saidOpen(sentences).map(({ text }) => text),
  ];
}

function saidOpen(sentences: readonly Sentence[]): Sentence[] {
  const said = sentences.filter(
    ({ from, text }) => from === "agent-last" && text.length <= STEP_CHARS && !/^if you\b/i.test(text),
  );
  const scores = new Map(said.map((sentence) => [sentence, openScore(sentence)]));
  const scoreOf = (sentence: Sentence): number => scores.get(sentence) ?? 0;
  const sum = said.reduce((total, sentence) => total + scoreOf(sentence), 0);
  const best = Math.max(0, ...scores.values());
  if (best + SUM_SHARE * sum < MIN_OPEN) return [];
  const min = Math.max(MIN_LISTED, best * LISTED_SHARE);
  const likeliest = new Set(said.toSorted((a, b) => scoreOf(b) - scoreOf(a)).slice(0, MAX_SAID));
  return said.filter((sentence) => likeliest.has(sentence) && scoreOf(sentence) >= min);
}

/** The heading of a list of what is left. */
const OPEN_HEADING =
  /^(?:next steps?|remaining(?: (?:work|steps|tasks|items))?|to-?do|still (?:open|outstanding|to do)|open (?:items|ends|points)|not (?:done|implemented|started)(?: yet)?|left to do|follow-?ups?)\s*:?$/i;
/** "Still open: old rows are never deleted." */
const OPEN_LABEL =
  /^(?:still (?:open|outstanding|missing|to do|not done)|not (?:done|implemented|started)(?: yet)?|left to do|to-?do|remaining(?: work)?|open (?:ends?|points?))(?: is| are)?: /i;
const OFFER = /\?$|^(?:want me|would you|should i|shall i|let me know|i can|happy to)\b/i;

/** Below such a heading nothing is a result, even if it reads like one. */
export function isListedOpen({ block }: Sentence): boolean {
  return block.kind === "item" && OPEN_HEADING.test(block.section);
}

/** Offers, results and statuses are seldom open work, even if they read like it. */
function openScore(sentence: Sentence): number {
  const { chances } = sentence.verdict;
  if ((isListedOpen(sentence) || OPEN_LABEL.test(sentence.text)) && !OFFER.test(sentence.text)) return 1;
  return chances.N * (1 - chances.A) * (1 - chances.O / 2) * (1 - chances.W / 2) * (1 - chances.V / 2);
}

/** Claude Code's summary for a user who was away: "… Next: review the PR". */
function awaySummary({ messages }: TurnEvidence): string[] {
  const isAway = /\bNext(?: action)?(?:: | is )/;
  const text = messages.findLast((message) => message.role === "system" && isAway.test(message.text))?.text ?? "";
  const next = /\bNext(?: action)?(?:: | is )([\s\S]{5,300})$/.exec(text)?.[1];
  return next === undefined ? [] : [capitalise(stripMarkdown(next))];
}

/**
 * Many projects have tests that fail all the time: only what the last message mentions, and
 * what was not committed all the same, is open. */
function admitsFailure({ blocks, deliveries }: ParsedTurn): boolean {
  if (deliveries.some(({ kind }) => kind === "commit")) return false;
  return blocks.length === 0 || blocks.some(({ text }) => /\b(?:fail(?:s|ed|ing|ures?)?|broken|red)\b/i.test(text));
}

const MAX_TASKS = 5;
const TASK_CHARS = 120;

/** Unfinished tasks on the agent's list after the session's last turn. Those of earlier turns are often done later. */
function openTasksOf({ prompt, earlierTaskUses, toolUses }: TurnEvidence): string[] {
  if (prompt.next !== undefined) return [];
  const tasks = openTasks(foldTasks([...earlierTaskUses, ...toolUses]));
  return tasks.slice(0, MAX_TASKS).map(({ text }) => clip(text, TASK_CHARS));
}

/** What a compaction in this turn listed as pending, if the agent said nothing after it. */
function pendingAfterCompaction({ messages }: TurnEvidence): string[] {
  const index = messages.findLastIndex(({ role }) => role === "summary");
  const isLast = index >= 0 && !messages.slice(index + 1).some(({ role, text }) => role === "assistant" && text !== "");
  const summary = isLast ? readCompactionSummary(messages[index]?.text ?? "") : undefined;
  return [...(summary?.pending ?? []), ...(summary?.nextStep.slice(0, 1) ?? [])]
    .slice(0, MAX_TASKS)
    .map((text) => clip(text, STEP_CHARS));
}
