// Decisions that the user made: listed in the prompt's plan, stated as a rule, or by accepting what the agent proposed.
import type { Observation } from "../../core/memory.ts";
import { clip, withFullStop } from "../../core/prose.ts";
import { userAnswers } from "../sources/answers.ts";
import { approvedPlans } from "../sources/plan.ts";
import { newObservation } from "./observation.ts";
import type { ParsedTurn } from "./extract-turn.ts";
import { capitalise, type Sentence } from "./sentences.ts";
import { MAX_TITLE_CHARS, titleFrom } from "./title.ts";

const MAX_FACTS = 8;
const QUOTE_CHARS = 400;

export function decisionsOf(turn: ParsedTurn): Observation[] {
  return [
    ...choices(turn),
    ...plans(turn),
    listedDecisions(turn),
    ...standingRules(turn),
    acceptedProposal(turn),
    agreedDecision(turn),
  ].filter((one) => one !== undefined);
}

const QUESTION_CHARS = 200;
const CHOICE_CHARS = 70;
/** A choice of so many words is understood without its question. */
const MIN_SENTENCE_WORDS = 5;

/** One decision for each question that the user answered in the agent's dialog. */
function choices({ evidence }: ParsedTurn): Observation[] {
  return userAnswers(evidence)
    .filter((answer) => answer.isDecision)
    .map(({ id, question, header, options, choice, notes }) => {
      const topic = header === "" ? question.replace(/\?$/, "") : header;
      const isSentence = header === "" && choice.split(/\s+/).length >= MIN_SENTENCE_WORDS;
      const chosen = clip(choice, CHOICE_CHARS);
      const isOther = ({ label }: { label: string }): boolean => !choice.includes(label);
      return decision({
        title: isSentence
          ? clip(capitalise(choice), MAX_TITLE_CHARS)
          : clip(`${clip(topic, MAX_TITLE_CHARS - chosen.length - 2)}: ${chosen}`, MAX_TITLE_CHARS),
        narrative: `Asked “${clip(question, QUESTION_CHARS)}”, the user chose: ${clip(choice, QUOTE_CHARS)}`,
        facts: [
          ...options
            .filter((option) => !isOther(option) && option.description !== "")
            .map(({ description }) => description),
          ...(notes === "" ? [] : [`The user added: ${clip(notes, QUOTE_CHARS)}`]),
          ...options.filter(isOther).map(({ label }) => `Not chosen: ${label}`),
        ],
        ids: [id],
        origin: "user",
        subject: `question:${clip(question.toLowerCase(), 160)}`,
      });
    });
}

/** The plans that the user approved in the agent's dialog. One in the prompt is the turn's request. */
function plans({ evidence }: ParsedTurn): Observation[] {
  return approvedPlans(evidence)
    .filter(({ approvedIn }) => approvedIn === "dialog")
    .map(({ id, title, why, steps }) =>
      decision({
        title: clip(`Plan: ${title}`, MAX_TITLE_CHARS),
        narrative: why === "" ? `The user approved the plan “${title}”` : why,
        facts: steps,
        ids: [id],
        origin: "user",
      }),
    );
}

const DECIDED_SECTION =
  /\bdecisions?\b(?!\s*(?:tree|log|table|matrix|record|engine|point))|\bdecided\b|\b(?:confirmed|agreed) with (?:the )?user\b|\bchosen (?:approach|option)/i;

/** Items below "Design decisions (confirmed with user)" in a prompt, often a plan that the user approved. */
function listedDecisions({ sentences, evidence }: ParsedTurn): Observation | undefined {
  const listed = sentences.filter(
    ({ from, block }) => from === "user" && block.kind === "item" && DECIDED_SECTION.test(block.section),
  );
  const best = listed.toSorted((a, b) => b.verdict.isWorthRecording - a.verdict.isWorthRecording)[0];
  const title = best === undefined ? undefined : decisionTitle(best.text);
  if (best === undefined || title === undefined) return undefined;
  return decision({
    title,
    narrative: `Decided before the work: “${clip(best.text, QUOTE_CHARS)}”`,
    facts: listed.filter((one) => one !== best).map(({ text }) => text),
    ids: [evidence.prompt.id],
    origin: "user",
  });
}

const RULE =
  /^(?:let['’]?s (?:only |just )?(?:use|keep|go with|stick|drop|call|name|adopt|build|make it|avoid|not)\b|we(?:['’]re| are| will|['’]ll)? (?:should(?:n['’]t| not| always| never| only)? |going to |must (?:not |never |always )?|decided |agreed |want to |don['’]?t (?:want|need) to |always |never |only )(?:use|call|name|rename|keep|adopt|drop|support|store|remove|avoid|treat|put)\b|from now on\b|going forward\b|in (?:the )?future[, ]|always\b|never\b|use \S+(?: \S+)? (?:instead of|rather than|not)\b|(?:i|we) prefer\b|(?:i|we)['’]?(?:ve)? decided\b|(?:do not|don['’]t) ever\b|no more\b)|\bfrom now on\b|\bgoing forward\b/i;
const OPENING =
  /^(?:(?:ok(?:ay)?|so|now|and|also|please|then|hey|great|perfect|cool|yes|yeah|yep|no|well|right|actually|but|i think|in that case)\b[,.!:;]*\s+)+/i;
/** For this turn only, doubtful, or a question. */
const NOT_STANDING =
  /\?$|^if\b|\bthis\b(?! (?:project|repo|repository|codebase|folder|file)\b)|\bthat (?:one|time|branch|pr|commit)\b|\bfor that\b|\btop prio|\b(?:for now|right now|just yet|yet|not yet|never ?mind|first|until|maybe|perhaps|not sure|i guess|might|wonder|today|this time|(?<!from )now)\b/i;
/** An order for this turn, unless the rule says that it always holds. */
const ORDER =
  /\bbefore (?:we|you)\b|\b(?:this|that|these|those) (?:is|was|would|should)\b|\b(?:commit|push|merge|wait|stop|continue|proceed)\b/i;
const ALWAYS = /^(?:always|never|from now on|going forward|in (?:the )?future|(?:do not|don['’]t) ever)\b/i;
/** What follows is pasted: "CodeRabbit says:" */
const ANNOUNCES_PASTE =
  /\b(?:says?|said|wrote|writes|comment(?:s|ed)?|review(?:er)?s?|feedback|suggest(?:s|ed|ions?)?|reports?|output|logs?|advisory)\b[^.!?:]{0,40}:$/i;
const LONG_PROMPT_CHARS = 1_200;
const RULE_CHARS = { min: 20, max: 260 };
const MIN_OWN_WORDS = 0.5;
const MAX_RULES = 2;

/** Standing rules in the user's own words: "from now on …", "we should call ours …". */
function standingRules({ sentences, evidence, request }: ParsedTurn): Observation[] {
  if (request.kind === "plan" || evidence.prompt.text.length > LONG_PROMPT_CHARS) return [];
  const asked = sentences.filter(({ from }) => from === "user");
  const pasted = asked.findIndex(({ text }) => ANNOUNCES_PASTE.test(text));
  return asked
    .slice(0, pasted < 0 ? asked.length : pasted)
    .filter(({ block, verdict }) => block.kind === "text" && verdict.chances.Q < MIN_OWN_WORDS)
    .map(({ text }) => text.replace(OPENING, ""))
    .filter((text) => text.length >= RULE_CHARS.min && text.length <= RULE_CHARS.max)
    .filter((text) => RULE.test(text) && !NOT_STANDING.test(text) && (ALWAYS.test(text) || !ORDER.test(text)))
    .slice(0, MAX_RULES)
    .flatMap((text) => {
      const title = decisionTitle(text);
      if (title === undefined) return [];
      return decision({
        title,
        narrative: `The user said: “${text}”`,
        facts: [],
        ids: [evidence.prompt.id],
        origin: "user",
        subject: choiceSubject(text),
      });
    });
}

/** The whole reply agrees: "yes", "ok, do it", "sounds good". */
const PLAIN_YES =
  /^(?:yes|yep|yeah|ok(?:ay)?|sure|agreed|perfect|great|sounds (?:good|great)|do it|go ahead|go for it|please do|i agree|lgtm|looks good|that['’]?s (?:good|great|fine|perfect)|approved?)\b/i;
const DISSENT =
  /\b(?:but|except|instead|however|not|don['’]t|rather|wait|actually|also|what|how|why|which|where|should)\b|\?/i;
const PROPOSAL =
  /\b(?:i(?:['’]d| would| suggest| propose| recommend)|my (?:recommendation|suggestion|proposal)|recommend(?:ed|ation)?|propos(?:e|al|ed)|the (?:right|better|best|cleaner|cleanest|simplest) (?:name|choice|default|approach|design|setup|fix|option|way|call) (?:is|would be|here)|we should|should (?:only|be|live|stay|use|not|go))\b/i;
const HEDGED = /^if\b|\b(?:maybe|perhaps|might|not sure|short answer|not strictly|could also)\b/i;
const REPLY_CHARS = 160;
const PROPOSAL_CHARS = 320;
const MIN_DECIDED = 0.02;
const MIN_TITLE_WORDS = 5;

/** True for "yes" and "ok, do it", false for "ok, but why?". */
export function isAgreement(text: string): boolean {
  return PLAIN_YES.test(text) && !DISSENT.test(text);
}

/** What the agent recommended in its last message, if the next prompt accepts it or picks one of its options. */
function acceptedProposal({ sentences, evidence, changes, finalId }: ParsedTurn): Observation | undefined {
  const reply = evidence.prompt.next?.trim() ?? "";
  if (reply === "" || reply.length > REPLY_CHARS || changes.files.length > 0) return undefined;
  const said = sentences.filter(({ from }) => from === "agent-last");
  const picked = pickedOption(said, reply);
  const isYes = isAgreement(reply);
  const proposals = said.filter(
    ({ text, verdict: { chances } }) =>
      PROPOSAL.test(text) &&
      !HEDGED.test(text) &&
      !/[?:]$/.test(text) &&
      text.length <= PROPOSAL_CHARS &&
      chances.A < 0.5 &&
      chances.O < 0.9,
  );
  const best = picked ?? (isYes ? proposals.toSorted((a, b) => proposalScore(b) - proposalScore(a))[0] : undefined);
  const title = best === undefined ? undefined : best === picked ? decisionTitle(best.text) : titleFrom(best.text);
  if (best === undefined || title === undefined || title.split(" ").length < MIN_TITLE_WORDS) return undefined;
  return decision({
    title,
    narrative: `Proposed by the agent: “${clip(best.text, QUOTE_CHARS)}” The user answered: “${clip(reply, 120)}”`,
    facts: proposals.filter((one) => one !== best && proposalScore(one) > MIN_DECIDED).map(({ text }) => text),
    ids: [finalId, evidence.prompt.nextId ?? finalId],
    origin: "user",
  });
}

function proposalScore({ verdict: { chances, isUseful } }: Sentence): number {
  return (chances.D + chances.N + chances.F) * isUseful;
}

/** "b", "option 2", "do the proper fix" -> the option of the agent's list. */
function pickedOption(said: readonly Sentence[], reply: string): Sentence | undefined {
  const letter =
    /^(?:option |let['’]?s (?:do|go with) (?:option )?|go with (?:option )?)?([a-d])\b[.!)]?(?:$|\s*[,-])/i.exec(
      reply,
    )?.[1];
  if (letter !== undefined)
    return said.find(({ text }) => new RegExp(String.raw`^(?:option )?\(?${letter}[).:]\s`, "i").test(text));
  const name =
    /^(?:yes,? |ok(?:ay)?,? )?(?:do|use|go with|take|let['’]?s do) the ([\w-]+) (?:fix|one|option|approach|way)\b/i.exec(
      reply,
    )?.[1];
  if (name === undefined) return undefined;
  return said.find(({ text }) => new RegExp(String.raw`^${name}\b.{0,20}:\s`, "i").test(text));
}

const AGREEMENT =
  /^(?:got it|agreed|makes sense|understood|i agree|agree|that works|good (?:call|idea))\s*[,:.—–!-]+\s*(?=\S)/i;
const MIN_STATED_CHARS = 30;
const ACTIVITY = /^(?:let me|i\b|i['’]|now|so|check|checking|looking|working|running|here)\b/i;

/** The user's words settle something: "the lock file should live in the cache folder". */
const DIRECTIVE =
  /\b(?:should(?:n['’]t)?|must(?:n['’]t)?|do(?: not|n['’]t)|never|always|instead of|rather than|let['’]?s|keep|call (?:it|ours|them)|rename|prefer|only)\b/i;
const DIRECTIVE_CHARS = 160;

/** The agent agrees to what the user just said: the user's sentence, or how the agent restates it. */
function agreedDecision({ sentences, evidence, request }: ParsedTurn): Observation | undefined {
  const prompt = evidence.prompt.text.trim();
  if (request.kind === "plan" || request.kind === "reply" || prompt.endsWith("?")) return undefined;
  const first =
    sentences.find(({ from }) => from === "agent-mid") ?? sentences.find(({ from }) => from === "agent-last");
  if (first === undefined || !AGREEMENT.test(first.text)) return undefined;
  const own = prompt.replace(OPENING, "");
  const isOwn = own.length <= DIRECTIVE_CHARS && DIRECTIVE.test(own) && !NOT_STANDING.test(own) && !own.includes("\n");
  const restated = first.text.replace(AGREEMENT, "");
  const { chances } = first.verdict;
  const isStated =
    restated.length >= MIN_STATED_CHARS &&
    !ACTIVITY.test(restated) &&
    !HEDGED.test(restated) &&
    chances.V + chances.A + chances.F < 0.5;
  const title = (isOwn ? titleFrom(own) : undefined) ?? (isStated ? titleFrom(restated) : undefined);
  if (title === undefined || title.split(" ").length < MIN_TITLE_WORDS) return undefined;
  return decision({
    title,
    narrative: `The user said: “${clip(request.summary, 200)}” The agent agreed: “${clip(first.text, QUOTE_CHARS)}”`,
    facts: [],
    ids: [evidence.prompt.id, first.id],
    origin: "user",
  });
}

function decisionTitle(text: string): string | undefined {
  const plain = text.replace(/^(?:option )?\(?[a-d1-9][).:]\s+/i, "").replaceAll("`", "");
  return (
    titleFrom(plain) ??
    (plain.length <= MAX_TITLE_CHARS && plain.split(/\s+/).length > 4
      ? capitalise(plain.replace(/[.]$/, ""))
      : undefined)
  );
}

interface Decided {
  title: string;
  narrative: string;
  facts: string[];
  ids: string[];
  origin: Observation["origin"];
  subject?: string | undefined;
}

function decision({ ids, facts, narrative, ...fields }: Decided): Observation {
  return newObservation({
    type: "decision",
    narrative: withFullStop(narrative),
    facts: facts.slice(0, MAX_FACTS),
    concepts: ["why-it-exists"],
    evidence: [...new Set(ids)],
    ...fields,
  });
}

const CHOICE =
  /\b(?:use|using|with|call(?: it)?|prefer|keep|choose|go with)\s+([\w@./`'"-]+(?: [\w@./`'"-]+)?)\s+(?:instead of|rather than|over|not|and not)\s+([\w@./`'"-]+)/i;
const REVERSED_CHOICE = /\binstead of\s+([\w@./`'"-]+)[, ]+(?:use|call it|prefer)\s+([\w@./`'"-]+)/i;

/** "use X instead of Y" and "use Y over X" -> "choice:x|y", so that the newer choice supersedes the older one. */
function choiceSubject(sentence: string): string | undefined {
  const [, a, b] = CHOICE.exec(sentence) ?? REVERSED_CHOICE.exec(sentence) ?? [];
  if (a === undefined || b === undefined) return undefined;
  const names = [a, b].map((name) => name.toLowerCase().replace(/[`'"]|^(?:the|ours?|it|this) |[.,]$/g, ""));
  return `choice:${names.sort().join("|")}`;
}
