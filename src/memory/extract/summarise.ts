// The eight fields of a turn: what was asked, looked at, learnt, done, and what is left.
import { TURN_INTERRUPTED } from "../../core/interruption.ts";
import type { Observation, Summary } from "../../core/memory.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { capitalise } from "./ask.ts";
import { filesText } from "./changes.ts";
import { shownCommand } from "./commands.ts";
import type { Reading } from "./extract-turn.ts";
import { frictionsOf } from "./frictions.ts";
import { landingFacts, landingsOf } from "./landings.ts";
import { openTasks } from "./tasks.ts";
import { clip, plain, sentencesOf } from "../../core/prose.ts";
import { lastTestOf, testFact } from "./test-state.ts";
import { countsText } from "./tests.ts";

const FIELD_CHARS = 600;
const MAX_LEARNED = 4;
const MAX_PATHS = 30;
const MAX_EVIDENCE = 12;

export function summarise(reading: Reading, observations: readonly Observation[]): Summary {
  const { evidence, ask, answer } = reading;
  const read = new Set<string>();
  const edited = new Set(reading.changes.files.map(({ path }) => path));
  for (const use of evidence.toolUses) for (const file of use.files) if (!edited.has(file.path)) read.add(file.path);
  return {
    request: ask.request,
    investigated: investigated(evidence, read),
    learned: field(learned(reading, observations)),
    completed: field(completed(reading)),
    nextSteps: field(nextSteps(reading)),
    filesRead: [...read].slice(0, MAX_PATHS),
    filesEdited: [...edited].slice(0, MAX_PATHS),
    notes: field(notes(reading)),
    evidence: [...new Set([evidence.prompt.id, ...observations.flatMap((one) => one.evidence), answer.id])].slice(
      0,
      MAX_EVIDENCE,
    ),
  };
}

/** Whole sentences, as many as there is room for. */
function field(sentences: readonly string[]): string {
  let text = "";
  for (const one of new Set(sentences.map(ended))) {
    if (text.length + one.length > FIELD_CHARS) break;
    text += `${text === "" ? "" : " "}${one}`;
  }
  return text;
}

function ended(sentence: string): string {
  const text = sentence.trim().replace(/[:;,]$/, "");
  return text === "" || /[.!?…]”?$/.test(text) ? text : `${text}.`;
}

function investigated(evidence: TurnEvidence, read: ReadonlySet<string>): string {
  const searched = new Set<string>();
  const pages = new Set<string>();
  let agents = 0;
  for (const { name, input } of evidence.toolUses) {
    if (/^(?:Grep|grep|search_file_content|rg)$/.test(name)) searched.add(String(input["pattern"] ?? ""));
    if (/^(?:WebSearch|web_search|google_web_search)$/.test(name)) searched.add(String(input["query"] ?? ""));
    if (/^(?:WebFetch|web_fetch|fetch)$/.test(name)) pages.add(String(input["url"] ?? input["prompt"] ?? ""));
    if (/^(?:Task|Agent|task)$/.test(name)) agents += 1;
  }
  const files = [...read].slice(0, 4).join(", ");
  const parts = [
    read.size > 0 && `Read ${read.size === 1 ? files : `${read.size} files: ${files}${read.size > 4 ? ", …" : ""}`}`,
    named("Searched for", searched, (text) => `“${clip(plain(text), 60)}”`),
    named("Fetched", pages, (text) => clip(text, 120)),
    agents > 0 && `Asked ${agents} ${agents === 1 ? "subagent" : "subagents"}`,
  ];
  return field(parts.filter((part) => part !== false));
}

function named(verb: string, texts: ReadonlySet<string>, show: (text: string) => string): string | false {
  const shown = [...texts]
    .filter((text) => text !== "")
    .slice(0, 3)
    .map(show);
  return (
    shown.length > 0 &&
    `${verb} ${shown.join(", ")}${texts.size > shown.length ? ` and ${texts.size - shown.length} more` : ""}`
  );
}

function learned({ found }: Reading, observations: readonly Observation[]): string[] {
  const answers = observations.filter(
    ({ type, concepts }) => type === "discovery" && concepts.includes("how-it-works"),
  );
  const fixes = observations.filter(({ type, subject }) => type === "bugfix" && subject?.startsWith("error:"));
  return [
    ...found.slice(0, MAX_LEARNED).map(({ text }) => text),
    ...answers.slice(0, 1).map(({ narrative }) => narrative),
    ...fixes.map(({ narrative }) => narrative),
  ];
}

function completed({ evidence, ask, answer, changes, runs }: Reading): string[] {
  const test = lastTestOf(runs);
  const landings = landingsOf(evidence, runs);
  const hasDone = answer.isPlain || (answer.isTelling && changes.files.length + landings.length > 0);
  return [
    hasDone ? answer.headline : changes.files.length > 0 && ask.kind === "plan" ? ask.title : "",
    changes.files.length > 0 ? `Changed ${filesText(changes.files)}` : "",
    ...changes.renamed.slice(0, 3).map(({ from, to }) => `Renamed ${from} to ${to}`),
    ...landingFacts(landings),
    test === undefined ? "" : testFact(test, runs),
    answer.headline === "" && ask.kind === "question"
      ? firstWords(answer.blocks.find(({ kind }) => kind === "text")?.text ?? "")
      : "",
  ].filter((text) => text !== "");
}

function firstWords(text: string): string {
  return clip(sentencesOf(text).slice(0, 2).join(" "), 300);
}

const LEFT =
  /\b(?:still needs?|still (?:open|pending|missing|to do)|remaining (?:work|steps?|tasks?|issues?|items?|todos?)|next up|left to do|not yet|(?:is|are) not \w+ yet|(?:needs?|requires?) (?:a )?follow[- ]?up|you(?:'ll|’ll| will) (?:need|have) to|once (?:merged|that|this|the) .*(?:can|should|will)|after (?:merging|this lands|that lands)|needs? to be|waiting (?:for|on)|blocked (?:by|on)|could not (?:run|verify|test))\b/i;
const NEXT = /^(?:the )?next(?::| (?:steps?|action)\b)/i;
const OFFER = /^(?:want me to|would you like(?: me)?(?: to)?|should i|shall i|do you want(?: me)?(?: to)?|ready to)\b/i;

function nextSteps(reading: Reading): string[] {
  const { evidence, answer, runs } = reading;
  const steps: string[] = [];
  for (const block of answer.blocks) {
    if (block.kind === "heading") continue;
    if (
      block.kind === "item" &&
      /^(?:next|remaining|todo|to do|follow|open|outstanding|what(?:'s|’s) (?:next|left))/i.test(block.section)
    )
      steps.push(block.text);
    else if (block.kind === "text") {
      for (const text of sentencesOf(block.text)) {
        if (text.length > 260) continue;
        if (OFFER.test(text)) steps.push(`Offered: ${text.replace(OFFER, "").replace(/\?$/, "").trim()}`);
        else if ((LEFT.test(text) || NEXT.test(text)) && !/\?$|^(?:let me|i\b|i'll|i’ll|i'm|i’m)/i.test(text))
          steps.push(text);
      }
    }
  }
  const away = evidence.messages.findLast(
    ({ role, text }) => role === "system" && /\bNext(?: action)?(?:: | is )/.test(text),
  );
  const awayNext = /\bNext(?: action)?(?:: | is )([\s\S]{5,300})$/.exec(away?.text ?? "")?.[1];
  const test = lastTestOf(runs);
  return [
    ...(test !== undefined && test.counts.failed > 0
      ? [`Tests fail: ${countsText(test.counts)} (${shownCommand(test.run.command)})`]
      : []),
    ...openTasks(evidence).map((task) => `To do: ${task}`),
    ...(awayNext === undefined ? [] : [capitalise(plain(awayNext))]),
    ...steps.slice(0, 4),
    ...(wasInterrupted(evidence) ? [TURN_INTERRUPTED] : []),
  ];
}

/** The transcript shows it, or a day went by without an end and the last thing known is a tool use. */
function wasInterrupted({ prompt, toolUses, messages }: TurnEvidence): boolean {
  if (prompt.state !== "interrupted") return false;
  const lastUse = toolUses.findLast(({ isSubagent }) => !isSubagent);
  const lastWords = messages.findLast(
    ({ role, isSubagent, text }) => role === "assistant" && !isSubagent && text.trim() !== "",
  );
  const isWorking = lastUse !== undefined && (lastWords === undefined || lastWords.at < lastUse.at);
  return prompt.endedAt !== undefined || isWorking;
}

function notes({ evidence, rules, runs }: Reading): string[] {
  return [
    evidence.prompt.state === "running" ? "In progress: the turn had not ended when this was written" : "",
    ...rules.slice(0, 3).map(({ text }) => `The user said: “${text}”`),
    ...frictionsOf(evidence, runs),
    evidence.messages.some(({ role }) => role === "summary") ? "The conversation was compacted in this turn" : "",
  ].filter((text) => text !== "");
}
