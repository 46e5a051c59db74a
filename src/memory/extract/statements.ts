// Sentences worth keeping in their own words: what the user laid down, what was decided, what was found out.
import type { Observation } from "../../core/memory.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { type Answer, isSpecific } from "./answer.ts";
import { type Ask, capitalise, TITLE_CHARS, withoutOpening } from "./ask.ts";
import { type Block, clip, readBlocks, sentencesOf } from "../../core/prose.ts";

const SENTENCE_CHARS = 320;
const MIN_WORDS = 5;

export interface Statement {
  text: string;
  /** Item id of where it stands. */
  id: string;
  score: number;
}

const LAYS_DOWN =
  /\b(?:must(?:n't| not)?|never|always|do(?:n't| not)|should(?:n't| not| always| never| only| be| have| live| use| stay)|instead of|rather than|not .{2,40} but|prefer|no longer|avoid|only (?:use|when|if|the|for)|make sure|ensure|no need|don'?t need|we(?:'ve| have)? decided|i(?:'ve)? decided|let'?s (?:use|keep|go with|not|stick|drop|call)|stick (?:to|with)|going forward|from now on|by default|what i (?:said|meant|want)|not what i|i (?:don'?t|do not) (?:like|want)|keep (?:it|the|this)|call it)\b/i;
/** Told of, not laid down: reports, doubts, wishes to know. */
const TELLS =
  /\?$|^(?:(?:it )?looks like|i (?:thought|tried|tested|got|see|saw|noticed|think it|don'?t (?:know|understand|see|think))|why|how|what|it seems|seems|looks like|not sure|error|warning|exit code|failed|expected|received|currently)\b|\b(?:not working|doesn'?t work|didn'?t work)\b/i;
/** A question without its mark. */
const ASKS =
  /^(?:if [^,]{3,80},\s*)?(?:(?:so|and|but|also|ok|then),?\s+)*(?:would|wouldn'?t|should|shouldn'?t|could|can|is|isn'?t|are|does|do you|don'?t you)\b|\bwouldn'?t it\b|\b(?:can|could) (?:it|we|you|i)\b|\b(?:maybe|perhaps)\b|\bright\?*$/i;
const STANDING =
  /\b(?:never|always(?! (?:visible|shown?|on\b|available|open))|must|from now on|going forward|by default|decided|instead of|rather than|prefer|no longer|do not|don'?t need)\b/i;
/** A long prompt is a specification: only what it forbids or insists on is a rule of its own. */
const LONG_PROMPT_CHARS = 1_500;
const INSISTS = /\b(?:MUST|NEVER|ALWAYS|NOT|must not|never|always|do not)\b/;
const MAX_RULES = 4;

/** Constraints and decisions in the user's own words. */
export function userRules(evidence: TurnEvidence, ask: Ask): Statement[] {
  if (ask.kind === "plan" || ask.kind === "word" || !wasTakenUp(evidence)) return [];
  const isLong = evidence.prompt.text.length > LONG_PROMPT_CHARS;
  const rules: Statement[] = [];
  for (const block of ask.blocks) {
    if (block.kind === "heading") continue;
    for (const spoken of sentencesOf(block.text)) {
      const sentence = withoutOpening(spoken);
      if (
        !LAYS_DOWN.test(sentence) ||
        ASKS.test(sentence) ||
        TELLS.test(sentence) ||
        (isLong && !INSISTS.test(sentence))
      )
        continue;
      if (!isFull(sentence)) continue;
      rules.push({
        text: sentence,
        id: evidence.prompt.id,
        score: 1 + Number(STANDING.test(sentence)) + Number(isSpecific(sentence)),
      });
    }
  }
  // What is only asked for now is the request; a rule outlives it.
  return rules.filter(({ score, text }) => score > 1 && (STANDING.test(text) || isShort(evidence))).slice(0, MAX_RULES);
}

/** A prompt of one or two sentences that says how things should be is about just that. */
function isShort({ prompt }: TurnEvidence): boolean {
  return (
    prompt.text.length < 160 &&
    /\bshould(?:n't| not| be| have| live| use| stay)?\b|\bno need\b|\bnot what i\b/i.test(prompt.text)
  );
}

/** An order that is answered with a word ("reply with OK") lays nothing down. */
function wasTakenUp({ toolUses, prompt, messages }: TurnEvidence): boolean {
  return toolUses.length > 0 || [prompt.response, ...messages.map(({ text }) => text)].some((text) => text.length > 80);
}

/** Says something by itself: enough words that mean something, no list label, not cut off. */
export function isFull(sentence: string): boolean {
  const words = sentence.split(/\s+/);
  const telling = words.filter(
    (word) =>
      word.length > 3 &&
      !/^(?:this|that|these|those|them|they|then|there|just|like|have|with|should|don't|it's|what|when|also)$/i.test(
        word,
      ),
  );
  return (
    words.length >= MIN_WORDS && telling.length >= 3 && sentence.length <= SENTENCE_CHARS && !/[:,]$/.test(sentence)
  );
}

const DECIDES =
  /^(?:(?:final |key |design )?decision|recommendation|key rule|rule|conclusion)\s*[:—–-]\s+\S|\b(?:we (?:decided|agreed|settled on|chose)|i (?:decided|chose|opted)|by design|(?:intentionally|deliberately) (?:left|kept|excluded|deferred|not|skipped|avoids?|unset|omitted)|i(?:'d|’d| would) (?:standardi[sz]e|recommend|go with|keep|avoid)|my recommendation|we should (?:not|avoid|keep|standardi[sz]e|treat)|the (?:right|better|cleaner) (?:design|approach|choice|call) is)\b/i;
/** What somebody else's text says is not what was decided here. */
const QUOTES =
  /\b(?:says|said|claims|according to|the (?:docs?|readme|issue|spec|comment|page|output|log|instructions?) (?:states?|reads?|tells?|recommends?|asks?))\b/i;

export function assistantDecisions(answer: Answer): Statement[] {
  return statementsOf(answer.blocks, answer.id, (sentence, block) => {
    const isSection = /^(?:decisions?|recommend\w+|trade-?offs?|conclusion)\b/i.test(block.section);
    if (/^if\b|\bseems?\b|:\s(?:removed|added|fixed|updated|changed)\b/i.test(sentence)) return 0;
    if (
      QUOTES.test(sentence) ||
      isNarration(sentence) ||
      !(DECIDES.test(sentence) || (isSection && isSpecific(sentence)))
    )
      return 0;
    return (
      1 + Number(isSpecific(sentence)) + Number(/\b(?:because|since|so that|rather than|instead of)\b/.test(sentence))
    );
  });
}

const FINDS =
  /\b(?:root cause|turns out|turned out|the (?:real |actual |underlying |core |main )?(?:issue|problem|bug|reason|culprit|cause) (?:is|was|here is)|(?:is|was|are|were) caused by|happens? (?:because|when)|fail(?:s|ed|ing)? (?:because|due to)|that(?:'s|’s| is) why|this is why|works by|the key (?:insight|difference|point)|existed because|didn(?:'|’)t work because|never (?:called|reached|used|updated|set|fires?|triggers?)|is a (?:known|well-known) )/i;
const BECAUSE = /\b(?:because|due to|so that|which means|meaning)\b/i;
/** How something is, by the way: not news enough for a note, but worth a line in the summary. */
const DESCRIBES =
  /\b(?:already (?:has|have|handles?|supports?|exists?|does|uses?|returns?)|requires?|expects?|stores?|reads? from|is (?:defined|handled|stored|located|called|computed|derived|gated|used) |are (?:defined|handled|stored|derived) |doesn(?:'|’)t |does not |no longer|lives? in|comes? from|picks? up|uses? (?:the |a )?`)/i;
const DOUBTS =
  /\b(?:may|might|maybe|perhaps|possibly|probably|likely|could be|seems?|suspect|i think|let me|unclear|if )\b/i;

export function discoveries(evidence: TurnEvidence, answer: Answer): Statement[] {
  const said = evidence.messages.filter(({ role, isSubagent }) => role === "assistant" && !isSubagent);
  const found = said.flatMap(({ id, text }) => {
    if (!FINDS.test(text) && !DESCRIBES.test(text) && id !== answer.id) return [];
    const isLast = id === answer.id;
    return statementsOf(isLast ? answer.blocks : readBlocks(text), id, (sentence, block) =>
      findScore(sentence, block, isLast),
    );
  });
  if (said.length === 0)
    found.push(...statementsOf(answer.blocks, answer.id, (sentence, block) => findScore(sentence, block, true)));
  return found.sort((a, b) => b.score - a.score);
}

function findScore(sentence: string, block: Block, isLast: boolean): number {
  if (isNarration(sentence) || DOUBTS.test(sentence) || QUOTES.test(sentence) || !isSpecific(sentence)) return 0;
  const finds = FINDS.test(sentence);
  const explains = isLast && BECAUSE.test(sentence);
  // A list at the end says what was done, not how things were found.
  if (!finds && !explains)
    return block.kind === "text" && DESCRIBES.test(sentence) && /`[^`]+`/.test(sentence) ? 0.5 : 0;
  return Number(finds) * 2 + Number(BECAUSE.test(sentence)) + Number(isLast) + Number(/root cause/i.test(sentence)) * 2;
}

/** What the assistant is about to do, or says of its own doing. */
export function isNarration(sentence: string): boolean {
  return /^(?:(?:so|now|ok|okay|good|great|hmm|wait|yes|no)[,.!]?\s+)?(?:i(?:'m|’m|'ll|’ll| am| will| need| want| left| did| can| was| have)?\b|let(?:'s|’s| me| us)\b|we(?:'ll|’ll| need| can)\b|using |checking |running |next|then )/i.test(
    sentence,
  );
}

function statementsOf(
  blocks: readonly Block[],
  id: string,
  score: (sentence: string, block: Block) => number,
): Statement[] {
  return blocks
    .filter(({ kind }) => kind !== "heading")
    .flatMap((block) =>
      sentencesOf(block.text)
        .filter(isFull)
        .map((text) => ({ text, id, score: score(text, block) })),
    )
    .filter((statement) => statement.score > 0);
}

/** "use X instead of Y", "X rather than Y", "X, not Y": of two such choices between the same things the newer holds. */
const CHOICE =
  /\b(?:use|using|with|call(?: it)?|prefer|keep|choose|go with)\s+([\w@./`'"-]+(?: [\w@./`'"-]+)?)\s+(?:instead of|rather than|over|not|and not)\s+([\w@./`'"-]+)/i;
const CHOICE_FIRST = /\binstead of\s+([\w@./`'"-]+)[, ]+(?:use|call it|prefer)\s+([\w@./`'"-]+)/i;

export function choiceSubject(sentence: string): string | undefined {
  const [, a, b] = CHOICE.exec(sentence) ?? CHOICE_FIRST.exec(sentence) ?? [];
  if (a === undefined || b === undefined) return undefined;
  const names = [a, b].map((name) => name.toLowerCase().replace(/[`'"]|^the |[.,]$/g, ""));
  return `choice:${names.sort().join("|")}`;
}

export function statementTitle(sentence: string): string {
  const text = sentence.replace(
    /^(?:(?:root cause|decision|recommendation|key rule|rule|conclusion|note)\s*[:—–-]|so,?|but|and|also|because)\s+/i,
    "",
  );
  return capitalise(clip(text.replaceAll("`", "").replace(/[.]$/, ""), TITLE_CHARS));
}

/** All that the user laid down in one turn is one observation, in their words. */
export function rulesObservation(rules: readonly Statement[]): Observation | undefined {
  const best = rules.toSorted((a, b) => b.score - a.score)[0];
  if (best === undefined) return undefined;
  const subject = choiceSubject(best.text);
  return {
    type: "decision",
    title: statementTitle(best.text),
    narrative: `The user said: “${best.text}”`,
    facts: rules.filter((rule) => rule !== best).map((rule) => rule.text),
    concepts: /\bbecause|since|so that\b/i.test(best.text) ? ["why-it-exists"] : ["pattern"],
    files: [],
    evidence: [best.id],
    origin: "user",
    ...(subject !== undefined && { subject }),
  };
}
