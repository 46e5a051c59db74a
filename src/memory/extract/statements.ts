// Sentences worth keeping in their own words: rules the user stated, decisions and findings of the agent.
import type { Concept, Observation } from "../../core/memory.ts";
import { type Block, clip, readBlocks, sentencesOf } from "../../core/prose.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import type { FinalMessage } from "./final-message.ts";
import { newObservation } from "./observation.ts";
import { capitalise, isFullSentence, matches, strip } from "./sentence-patterns.ts";
import { TITLE_CHARS, type UserRequest } from "./user-request.ts";

export interface Statement {
  text: string;
  /** Item id of the prompt or message it is in. */
  id: string;
  score: number;
}

/** A longer prompt is a specification. */
const LONG_PROMPT_CHARS = 1_500;
const SHORT_PROMPT_CHARS = 160;
const MAX_RULES = 4;

/** Constraints and decisions in the user's own words; what is wanted only now is the request. */
export function userRules(evidence: TurnEvidence, { kind, blocks }: UserRequest): Statement[] {
  if (kind === "plan" || kind === "reply" || !hasAnswer(evidence)) return [];
  const { id, text: prompt } = evidence.prompt;
  const isLong = prompt.length > LONG_PROMPT_CHARS;
  const isWish = prompt.length < SHORT_PROMPT_CHARS && matches(prompt, "wish");
  return blocks
    .filter((block) => block.kind !== "heading")
    .flatMap((block) => sentencesOf(block.text).map((sentence) => strip(sentence, "opening")))
    .filter((text) => matches(text, "instruction") && !matches(text, "suggestion", "report") && isFullSentence(text))
    .filter((text) => !isLong || matches(text, "insistence"))
    .map((text) => ({ text, id, score: 1 + count(matches(text, "standingRule"), matches(text, "specific")) }))
    .filter(({ text, score }) => score > 1 && (matches(text, "standingRule") || isWish))
    .slice(0, MAX_RULES);
}

/** "Reply with OK" and an answer of one word state no rule. */
function hasAnswer({ toolUses, prompt, messages }: TurnEvidence): boolean {
  return toolUses.length > 0 || [prompt.response, ...messages.map(({ text }) => text)].some((text) => text.length > 80);
}

function count(...conditions: boolean[]): number {
  return conditions.filter(Boolean).length;
}

export function assistantDecisions({ blocks, id }: FinalMessage): Statement[] {
  return statementsIn(blocks, id, (text, { section }) => {
    if (matches(text, "undecided", "quotation", "narration")) return 0;
    const isSpecific = matches(text, "specific");
    const isSection = /^(?:decisions?|recommend\w+|trade-?offs?|conclusion)\b/i.test(section);
    if (!matches(text, "decision") && !(isSection && isSpecific)) return 0;
    return 1 + count(isSpecific, /\b(?:because|since|so that|rather than|instead of)\b/.test(text));
  });
}

/** The best first. */
export function findDiscoveries({ messages }: TurnEvidence, final: FinalMessage): Statement[] {
  const said = messages.filter(({ role, isSubagent }) => role === "assistant" && !isSubagent);
  const inFinal = statementsIn(final.blocks, final.id, (text, block) => discoveryScore(text, block, true));
  const found = said.flatMap(({ id, text }) => {
    if (id === final.id) return inFinal;
    if (!matches(text, "finding", "description")) return [];
    return statementsIn(readBlocks(text), id, (sentence, block) => discoveryScore(sentence, block, false));
  });
  return (said.length === 0 ? inFinal : found).toSorted((a, b) => b.score - a.score);
}

function discoveryScore(text: string, { kind }: Block, isFinal: boolean): number {
  if (matches(text, "narration", "doubt", "quotation") || !matches(text, "specific")) return 0;
  const [isFinding, isExplained] = [matches(text, "finding"), matches(text, "explanation")];
  if (!isFinding && !(isFinal && isExplained)) {
    // For the summary only. Lists say what was done, not how something is.
    return kind === "text" && matches(text, "description") && /`[^`]+`/.test(text) ? 0.5 : 0;
  }
  return 2 * count(isFinding, /root cause/i.test(text)) + count(isExplained, isFinal);
}

function statementsIn(
  blocks: readonly Block[],
  id: string,
  scoreOf: (sentence: string, block: Block) => number,
): Statement[] {
  return blocks
    .filter(({ kind }) => kind !== "heading")
    .flatMap((block) => sentencesOf(block.text).map((text) => ({ text, block })))
    .filter(({ text }) => isFullSentence(text))
    .map(({ text, block }) => ({ text, id, score: scoreOf(text, block) }))
    .filter(({ score }) => score > 0);
}

const CHOICE =
  /\b(?:use|using|with|call(?: it)?|prefer|keep|choose|go with)\s+([\w@./`'"-]+(?: [\w@./`'"-]+)?)\s+(?:instead of|rather than|over|not|and not)\s+([\w@./`'"-]+)/i;
const REVERSED_CHOICE = /\binstead of\s+([\w@./`'"-]+)[, ]+(?:use|call it|prefer)\s+([\w@./`'"-]+)/i;

/** "use X instead of Y" -> "choice:x|y": the newer of two choices between the same things supersedes the older. */
function choiceSubject(sentence: string): string | undefined {
  const [, a, b] = CHOICE.exec(sentence) ?? REVERSED_CHOICE.exec(sentence) ?? [];
  if (a === undefined || b === undefined) return undefined;
  const names = [a, b].map((name) => name.toLowerCase().replace(/[`'"]|^the |[.,]$/g, ""));
  return `choice:${names.sort().join("|")}`;
}

/** "Root cause: the token expires." -> "The token expires" */
export function statementTitle(sentence: string): string {
  const text = sentence.replace(
    /^(?:(?:root cause|decision|recommendation|key rule|rule|conclusion|note)\s*[:—–-]|so,?|but|and|also|because)\s+/i,
    "",
  );
  return capitalise(clip(text.replaceAll("`", "").replace(/[.]$/, ""), TITLE_CHARS));
}

/** All rules of one turn as one observation, titled by the best. */
export function rulesObservation(rules: readonly Statement[]): Observation | undefined {
  const best = rules.toSorted((a, b) => b.score - a.score)[0];
  if (best === undefined) return undefined;
  return newObservation({
    type: "decision",
    title: statementTitle(best.text),
    narrative: `The user said: “${best.text}”`,
    facts: rules.filter((rule) => rule !== best).map((rule) => rule.text),
    concepts: /\bbecause|since|so that\b/i.test(best.text) ? ["why-it-exists"] : ["pattern"],
    evidence: [best.id],
    origin: "user",
    subject: choiceSubject(best.text),
  });
}

export function discoveryObservation(statement: Statement): Observation {
  const isProblem = /root cause|caused by|fail|bug|issue|problem|wrong/i.test(statement.text);
  return statementObservation("discovery", statement, isProblem ? "gotcha" : "how-it-works");
}

export function decisionObservation(statement: Statement): Observation {
  return statementObservation("decision", statement, "trade-off", choiceSubject(statement.text));
}

function statementObservation(
  type: Observation["type"],
  { text, id }: Statement,
  concept: Concept,
  subject?: string,
): Observation {
  const common = { title: statementTitle(text), narrative: text, evidence: [id], origin: "assistant" as const };
  return newObservation({ type, ...common, concepts: [concept], subject });
}
