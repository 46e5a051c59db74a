// Writes the summary of a turn: request, investigated, learned, completed, next steps, notes.
import type { Observation, Summary } from "../../core/memory.ts";
import { clip, stripMarkdown, withFullStop } from "../../core/prose.ts";
import { listText } from "../../core/text.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { filesText } from "./changes.ts";
import type { ParsedTurn } from "./extract-turn.ts";
import { failureNotes } from "./failures.ts";
import { isListedOpen, nextSteps } from "./next-steps.ts";
import { isOutcome, type Sentence } from "./sentences.ts";
import { testFact } from "./test-results.ts";

const FIELD_CHARS = 1_200;
const MAX_LEARNED = 7;
const MAX_PATHS = 30;
const MAX_EVIDENCE = 12;

export function summarise(turn: ParsedTurn, observations: readonly Observation[]): Summary {
  const { evidence, request, finalId } = turn;
  const edited = turn.changes.files.map(({ path }) => path);
  const touched = evidence.toolUses.flatMap((use) => use.files.map(({ path }) => path));
  const read = [...new Set(touched)].filter((path) => !edited.includes(path));
  const ids = new Set([evidence.prompt.id, ...observations.flatMap((one) => one.evidence), finalId]);
  return {
    request: request.summary,
    investigated: joinSentences(investigated(evidence, read)),
    learned: joinSentences(learned(turn)),
    completed: joinSentences(completed(turn)),
    nextSteps: nextSteps(turn).join("\n"),
    filesRead: read.slice(0, MAX_PATHS),
    filesEdited: edited.slice(0, MAX_PATHS),
    notes: joinSentences(notes(turn, observations)),
    evidence: [...ids].slice(0, MAX_EVIDENCE),
  };
}

/** Joins as many whole sentences as fit into a field. */
function joinSentences(sentences: readonly string[]): string {
  let text = "";
  const complete = sentences.map((sentence) => withFullStop(sentence.trim().replace(/[:;,]$/, "")));
  for (const sentence of new Set(complete.filter(Boolean))) {
    if (text.length + sentence.length > FIELD_CHARS) break;
    text += `${text === "" ? "" : " "}${sentence}`;
  }
  return text;
}

const SEARCH_TOOLS = /^(?:Grep|grep|search_file_content|rg)$/;
const WEB_SEARCH_TOOLS = /^(?:WebSearch|web_search|google_web_search)$/;
const FETCH_TOOLS = /^(?:WebFetch|web_fetch|fetch)$/;
const AGENT_TOOLS = /^(?:Task|Agent|task)$/;

function investigated({ toolUses }: TurnEvidence, read: readonly string[]): string[] {
  const searched = new Set<string>();
  const pages = new Set<string>();
  for (const { name, input } of toolUses) {
    if (SEARCH_TOOLS.test(name)) searched.add(String(input["pattern"] ?? ""));
    if (WEB_SEARCH_TOOLS.test(name)) searched.add(String(input["query"] ?? ""));
    if (FETCH_TOOLS.test(name)) pages.add(String(input["url"] ?? input["prompt"] ?? ""));
  }
  const agents = toolUses.filter(({ name }) => AGENT_TOOLS.test(name)).length;
  const files = read.slice(0, 4).join(", ");
  return [
    read.length === 1 ? `Read ${files}` : "",
    read.length > 1 ? `Read ${read.length} files: ${files}${read.length > 4 ? ", …" : ""}` : "",
    listed("Searched for", searched, (text) => `“${clip(stripMarkdown(text), 60)}”`),
    listed("Fetched", pages, (text) => clip(text, 120)),
    agents > 0 ? `Asked ${agents} ${agents === 1 ? "subagent" : "subagents"}` : "",
  ];
}

function listed(verb: string, texts: ReadonlySet<string>, show: (text: string) => string): string {
  const shown = [...texts].filter((text) => text !== "").map(show);
  return shown.length === 0 ? "" : `${verb} ${listText(shown, 3)}`;
}

/** The findings with the highest probability, in the order in which they were said. */
function learned({ sentences, changes }: ParsedTurn): string[] {
  return likeliest(changes.files.length > 0 ? sentences.filter(isOutcome) : sentences, "F", MAX_LEARNED);
}

const MAX_COMPLETED = 7;
const MIN_CHANCE = 0.4;

function completed({ sentences, request, changes, deliveries, testResult }: ParsedTurn): string[] {
  const results = likeliest(sentences, "W", MAX_COMPLETED);
  const hasChanges = changes.files.length > 0;
  return [
    ...results,
    results.length === 0 && hasChanges && request.kind === "plan" ? request.title : "",
    hasChanges ? `Changed ${filesText(changes.files)}` : "",
    ...changes.renamed.slice(0, 3).map(({ from, to }) => `Renamed ${from} to ${to}`),
    ...deliveries.map(({ fact }) => fact),
    testResult === undefined ? "" : testFact(testResult),
  ];
}

function likeliest(sentences: readonly Sentence[], label: "F" | "W", max: number): string[] {
  const scoreOf = ({ verdict }: Sentence): number => verdict.chances[label] * verdict.isUseful;
  const best = new Set(
    sentences
      .filter((one) => one.from !== "user" && one.verdict.chances[label] >= MIN_CHANCE && !isListedOpen(one))
      .sort((a, b) => scoreOf(b) - scoreOf(a))
      .slice(0, max),
  );
  return sentences.filter((sentence) => best.has(sentence)).map(({ text }) => text);
}

function notes({ evidence, runs }: ParsedTurn, observations: readonly Observation[]): string[] {
  return [
    evidence.prompt.state === "running" ? "In progress: the turn had not ended when this was written" : "",
    ...observations.filter(({ type }) => type === "decision").map(({ title }) => `Decided: ${title}`),
    ...failureNotes(evidence, runs),
    evidence.messages.some(({ role }) => role === "summary") ? "The conversation was compacted in this turn" : "",
  ];
}
