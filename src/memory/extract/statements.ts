// Builds observations that quote a sentence: the user's rules, the agent's decisions and findings.
import type { Concept, Observation } from "../../core/memory.ts";
import { clip, readBlocks } from "../../core/prose.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import type { FinalMessage } from "./final-message.ts";
import { decisionScore, findingScore, mayContainFinding, ruleScore } from "./judge.ts";
import { newObservation } from "./observation.ts";
import { matches, strip } from "./sentence-patterns.ts";
import { capitalise, type Sentence, sentencesIn } from "./sentences.ts";
import { TITLE_CHARS, type UserRequest } from "./user-request.ts";

export interface Statement {
  text: string;
  /** Item id of its prompt or message. */
  id: string;
  score: number;
}

/** Longer prompts are specifications. */
const LONG_PROMPT_CHARS = 1_500;
const SHORT_PROMPT_CHARS = 160;
const MAX_RULES = 4;

/** Lasting rules and decisions in the prompt. Its other sentences are the request. */
export function userRules(evidence: TurnEvidence, { kind, blocks }: UserRequest): Statement[] {
  if (kind === "plan" || kind === "reply" || !hasWorkOrAnswer(evidence)) return [];
  const { id, text: prompt } = evidence.prompt;
  const isLong = prompt.length > LONG_PROMPT_CHARS;
  const isWish = prompt.length < SHORT_PROMPT_CHARS && matches(prompt, "wish");
  return sentencesIn(blocks, id)
    .map(({ text }) => strip(text, "opening"))
    .map((text) => ({ text, id, score: ruleScore(text, { isLong, isWish }) }))
    .filter(({ score }) => score > 0)
    .slice(0, MAX_RULES);
}

/** False for a turn with only a short answer: "Reply with OK" states no rule. */
function hasWorkOrAnswer({ toolUses, prompt, messages }: TurnEvidence): boolean {
  return toolUses.length > 0 || [prompt.response, ...messages.map(({ text }) => text)].some((text) => text.length > 80);
}

export function assistantDecisions({ sentences }: FinalMessage): Statement[] {
  return scored(sentences, decisionScore);
}

/** Sorted by score, highest first. */
export function findDiscoveries({ messages }: TurnEvidence, final: FinalMessage): Statement[] {
  const said = messages.filter(({ role, isSubagent }) => role === "assistant" && !isSubagent);
  const inFinal = scored(final.sentences, (sentence) => findingScore(sentence, true));
  const found = said.flatMap(({ id, text }) => {
    if (id === final.id) return inFinal;
    const sentences = mayContainFinding(text) ? sentencesIn(readBlocks(text), id) : [];
    return scored(sentences, (sentence) => findingScore(sentence, false));
  });
  return (said.length === 0 ? inFinal : found).toSorted((a, b) => b.score - a.score);
}

function scored(sentences: readonly Sentence[], scoreOf: (sentence: Sentence) => number): Statement[] {
  return sentences
    .map((sentence) => ({ text: sentence.text, id: sentence.id, score: scoreOf(sentence) }))
    .filter(({ score }) => score > 0);
}

const CHOICE =
  /\b(?:use|using|with|call(?: it)?|prefer|keep|choose|go with)\s+([\w@./`'"-]+(?: [\w@./`'"-]+)?)\s+(?:instead of|rather than|over|not|and not)\s+([\w@./`'"-]+)/i;
const REVERSED_CHOICE = /\binstead of\s+([\w@./`'"-]+)[, ]+(?:use|call it|prefer)\s+([\w@./`'"-]+)/i;

/** "use X instead of Y" and "use Y over X" -> "choice:x|y", so that the newer choice supersedes the older one. */
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

/** Puts all rules of a turn into one observation, titled by the rule with the highest score. */
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
