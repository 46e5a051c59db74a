// The note about a turn: what was done or found, with the results and findings as facts.
import type { Concept, Observation, ObservationType } from "../../core/memory.ts";
import { SAME_TEXT, wordOverlap } from "../../core/similarity.ts";
import { readCompactionSummary } from "../sources/compaction-summary.ts";
import { changedLines, type Changes, filesText } from "./changes.ts";
import { newObservation } from "./observation.ts";
import type { ParsedTurn } from "./extract-turn.ts";
import { isListedOpen } from "./next-steps.ts";
import { isOutcome, type Sentence } from "./sentences.ts";
import { bestHeadline, chooseTitle, headlineScore, type ChosenTitle, OPTION } from "./title.ts";

const MAX_FACTS = 8;
const FACT_CHARS = 320;
const MAX_FILES = 20;
/** More than the texts that a note is made of: forgetting one of them deletes the note. */
const MAX_EVIDENCE = 16;
/** Sentences that are less probably useful are left out. */
const MIN_WORTH = 0.66;
const MIN_FINDING = 0.64;
const HEDGED = /\b(?:likely|probably|maybe|perhaps|might|seems?|could be|suspect|presumably|i think|not sure)\b/i;
const ADVICE = /^(?:use|try|run|ask|check|open|go|add|make|set|see|note|consider|keep|avoid|do|don['’]t|in chat)\b/i;
/** Up to three changed lines, all in documents, are not worth a note of their own. */
const FEW_LINES = 3;
const DOCUMENT = /\.(?:md|mdx|txt|rst)$|(?:^|\/)(?:CHANGELOG|LICENSE|README)/i;
const CONFIG = /\.(?:md|mdx|txt|rst|json|jsonc|ya?ml|toml|lock)$/i;
const FIX =
  /\b(?:fix(?:e[sd]|ing)?|bug(?:s|gy)?|broken|crash\w*|regression|root cause|caused|not working|doesn['’]?t|wrong|leak\w*|fail(?:s|ed|ing)?|errors?)\b/i;
const REFACTOR = /^(?:refactor|rename|extract|move|simplif|clean|restructur|reorgani[sz]|dedup|consolidat)/i;

export function turnNote(turn: ParsedTurn): Observation | undefined {
  const { evidence, changes, deliveries, sentences } = turn;
  const hasWork = isWork(changes) || deliveries.some(({ isWorthNoting }) => isWorthNoting);
  const facts = worthyFacts(sentences, hasWork);
  const chosen = chooseNote(turn);
  if (chosen === undefined) return undefined;
  const { type } = chosen;
  // Without changes or commits, only a good sentence is worth a note.
  if (!hasWork && facts.length === 0 && !(chosen.sentence !== undefined && isClear(chosen.sentence))) return undefined;
  const told = chosen.sentence;
  const rest = facts.filter((fact) => fact !== told && wordOverlap(fact.text, chosen.title) < SAME_TEXT);
  const said = saidFirst(sentences);
  const compaction = evidence.messages.findLast(({ role }) => role === "summary");
  const fixes = compaction === undefined ? [] : compactedFixes(compaction.text);
  const commits = deliveries.map(({ fact }) => fact).filter((fact) => !fact.includes(chosen.title));
  return newObservation({
    type,
    title: chosen.title,
    narrative: narrativeOf(turn, chosen, said),
    facts: [...new Set([...rest.map(({ text }) => text), ...fixes, ...commits])].slice(0, MAX_FACTS),
    concepts: conceptsOf(type),
    files: changes.files.slice(0, MAX_FILES).map(({ path }) => path),
    evidence: [
      ...new Set([
        evidence.prompt.id,
        ...(chosen.source === undefined ? [] : [chosen.source]),
        ...(told === undefined ? [] : [told.id]),
        ...rest.map(({ id }) => id),
        ...said.map(({ id }) => id),
        ...(compaction === undefined ? [] : [compaction.id]),
        ...deliveries.map(({ id }) => id).slice(-2),
        ...changes.files.flatMap((file) => file.evidence.slice(-1)),
      ]),
    ].slice(0, MAX_EVIDENCE),
    origin: chosen.origin,
  });
}

/** A turn that found something out is titled by a finding; if none is certain enough, by what it did. */
function chooseNote(turn: ParsedTurn): (ChosenTitle & { type: ObservationType }) | undefined {
  const isDiscovery = typeOf(turn, turn.likelyType, "") === "discovery";
  const found = isDiscovery ? bestHeadline(turn.sentences, findingScore) : undefined;
  if (found !== undefined) return { ...found, type: "discovery" };
  const done = chooseTitle(turn);
  if (done === undefined || (isDiscovery && !(done.sentence === undefined || isResult(done.sentence))))
    return undefined;
  return { ...done, type: isDiscovery ? "change" : typeOf(turn, turn.likelyType, done.title) };
}

function isResult({ verdict: { chances } }: Sentence): boolean {
  return chances.W > 0.5;
}

function isClear({ verdict: { chances, isUseful } }: Sentence): boolean {
  return chances.W + chances.F > 0.5 && isUseful > 0.3;
}

function findingScore({ from, text, verdict: { chances, isUseful, isHeadline } }: Sentence): number {
  if (chances.F < MIN_FINDING || OPTION.test(text) || HEDGED.test(text) || ADVICE.test(text)) return 0;
  return chances.F * isUseful * (0.3 + isHeadline) * (from === "agent-last" ? 1 : 0.7);
}

const MAX_FIXES = 3;

/** Errors and their fixes from the agent's own summary of a compacted context. */
function compactedFixes(summary: string): string[] {
  const fixes = readCompactionSummary(summary)?.fixes ?? [];
  return fixes.filter(({ length }) => length <= FACT_CHARS).slice(-MAX_FIXES);
}

/** Useful results and findings of the agent, in the order in which they were said. */
function worthyFacts(sentences: readonly Sentence[], hasWork: boolean): Sentence[] {
  const worthOf = ({ from, verdict: { isWorthRecording, isClearlyUseful, chances } }: Sentence): number =>
    isWorthRecording + 0.3 * isClearlyUseful + 0.1 * chances.F - (from === "agent-mid" ? 0.05 : 0);
  const best = new Set(
    sentences
      .filter((sentence) => isWorthy(sentence) && (!hasWork || isOutcome(sentence)))
      .sort((a, b) => worthOf(b) - worthOf(a))
      .slice(0, MAX_FACTS),
  );
  return sentences.filter((sentence) => best.has(sentence));
}

function isWorthy(sentence: Sentence): boolean {
  const { from, text, verdict } = sentence;
  const { isWorthRecording, chances } = verdict;
  if (isListedOpen(sentence)) return false;
  return from !== "user" && text.length <= FACT_CHARS && isWorthRecording >= MIN_WORTH && chances.W + chances.F > 0.4;
}

function isWork({ files, renamed, deleted }: Changes): boolean {
  if (renamed.length + deleted.length > 0) return true;
  const lines = files.reduce((sum, file) => sum + changedLines(file), 0);
  return files.length > 0 && !(lines <= FEW_LINES && files.every(({ path }) => DOCUMENT.test(path)));
}

/** Types by prefix of a conventional commit. Other prefixes become "change". */
const TYPES_BY_PREFIX: ReadonlyMap<string, ObservationType> = new Map([
  ["feat", "feature"],
  ["fix", "bugfix"],
  ["refactor", "refactor"],
  ["perf", "refactor"],
]);

/** A turn that changed code is a bugfix, refactor or feature; of others the classifier tells. */
function typeOf(
  { changes, deliveries, request }: ParsedTurn,
  likely: ObservationType | undefined,
  title: string,
): ObservationType {
  const hasCode = changes.files.some(({ path }) => !CONFIG.test(path));
  if (!hasCode) {
    if (likely !== undefined && likely !== "decision") return likely;
    return changes.files.length > 0 || deliveries.length > 0 ? "change" : "discovery";
  }
  const prefix = deliveries.findLast((delivery) => delivery.prefix !== "")?.prefix;
  if (prefix !== undefined) return TYPES_BY_PREFIX.get(prefix) ?? "change";
  if (FIX.test(`${title} ${request.summary.slice(0, 120)}`)) return "bugfix";
  return REFACTOR.test(title) ? "refactor" : "feature";
}

function conceptsOf(type: ObservationType): Concept[] {
  if (type === "discovery") return ["how-it-works"];
  return type === "bugfix" ? ["problem-solution", "what-changed"] : ["what-changed"];
}

const MAX_SAID = 2;

function saidFirst(sentences: readonly Sentence[]): Sentence[] {
  return sentences
    .filter(isWorthy)
    .sort((a, b) => headlineScore(b) - headlineScore(a))
    .slice(0, MAX_SAID);
}

/** The sentence behind the title and the one or two that follow it in rank, then the files. */
function narrativeOf(
  { sentences, changes, deliveries }: ParsedTurn,
  { title, sentence }: ChosenTitle,
  said: readonly Sentence[],
): string {
  const shown = new Set([...(sentence === undefined ? [] : [sentence]), ...said]);
  const inOrder = sentences
    .filter((one) => shown.has(one))
    .map(({ text }) => (/[.!?]$/.test(text) ? text : `${text}.`));
  const body = deliveries.find((delivery) => delivery.body !== "")?.body ?? "";
  const files = changes.files.length === 0 ? "" : `Changed ${filesText(changes.files)}.`;
  return [body, ...inOrder, files].filter(Boolean).join(" ") || `${title}.`;
}
