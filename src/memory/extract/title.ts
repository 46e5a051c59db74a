// Chooses the title of a turn's note: one line that tells what was done or found.
import type { Observation } from "../../core/memory.ts";
import { clip } from "../../core/prose.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { isMinor } from "./commit-subject.ts";
import type { Delivery } from "./deliveries.ts";
import { capitalise, type Sentence } from "./sentences.ts";
import type { UserRequest } from "./user-request.ts";

export const MAX_TITLE_CHARS = 120;
const MIN_WORDS = 3;
/** Offers stand at the end of a message. */
const OFFER_CHARS = 1_500;
const MIN_REST_CHARS = 15;

/** Cannot be understood without the sentence before. */
const POINTING =
  /^(?:it|its|this|that|these|those|they|also|both|here|there|same|so|then|now|but|and|or|you|yes|no|not|again|instead|otherwise|either|neither|one|the (?:other|same|first|second|latter|former|fix|change|changes|following|above))(?:['’]\w+)?\b/i;
/** Words before the statement: "Done. I've ", "Root cause: ". */
const LEAD =
  /^(?:(?:done|perfect|great|good|ok(?:ay)?|all done|all set|fixed|correct|agreed|got it|found it|hmm|excellent|understood|yes|confirmed|success|in short|short answer|summary|result|outcome|conclusion|reason|note|interesting|(?:the )?root cause(?: found)?|(?:the )?(?:main |key )?(?:finding|result|cause|problem|issue|fix))\s*(?:[.!:,—–]|-\s)\s*|(?:i|we)(?:['’]ve| have)?(?: (?:also|now|just|successfully))*\s+(?=[a-z]+(?:ed|wrote|split|built|made|set|ran|found)\b))/i;
/** "File: src/a.ts", "Added that explicitly": says nothing by itself. */
const LABEL =
  /^(?:files?|paths?|description|location|lines?|branch|url|usage|status|worktree)(?: \w+)?:|^[a-z]+ed (?:that|this|it|them)\b/i;
const COMMITTED =
  /^(?:committed|pushed|commit created|commit successful|committed and pushed)(?: (?:as|in|to|on|it as))?\s*(?:`?[0-9a-f]{7,40}`?)?\s*(?:on `[^`]+`)?\s*[:—–-]\s*/i;

/** The sentence as a title, or undefined if it cannot stand alone. */
export function titleFrom(sentence: string): string | undefined {
  let text = sentence.replaceAll("**", "").trim();
  for (let before = ""; before !== text;) {
    before = text;
    text = text.replace(LEAD, "").replace(COMMITTED, "").trim();
  }
  text = shorten(
    withFileLast(text).replace(/,\s+(?:covering|including|with|such as|like|for example)\s*:?$|[\s.:;,→]+$/i, ""),
  );
  if (text.length > MAX_TITLE_CHARS || POINTING.test(text) || /\?$|^https?:/.test(text)) return undefined;
  if (LABEL.test(text)) return undefined;
  if (text.split(/\s+/).length < MIN_WORDS || !/\p{L}{3}/u.test(text)) return undefined;
  return capitalise(text.replaceAll("`", ""));
}

/** "`src/a.ts:12` — replaced the retry" -> "Replaced the retry (a.ts)" */
function withFileLast(text: string): string {
  const [, path = "", rest = ""] =
    /^`?([\w@./-]+\.\w{1,5})(?::[\d-]+)?`?(?: \([^)]*\))?\s*(?:[:—–]|-{1,2}\s)\s*(?=[\p{L}`])(.+)$/u.exec(text) ?? [];
  if (path === "" || rest.length < MIN_REST_CHARS) return text;
  const name = path.split("/").at(-1) ?? path;
  return rest.includes(name) ? capitalise(rest) : `${capitalise(shorten(rest.replace(/[\s.:;,]+$/, "")))} (${name})`;
}

/** Shortens a long sentence at the end of a clause, never within one. */
function shorten(sentence: string): string {
  if (sentence.length <= MAX_TITLE_CHARS) return sentence;
  const plain = sentence.replace(/\s*\([^()]*\)/g, "");
  if (plain.length <= MAX_TITLE_CHARS) return plain;
  const clause =
    /^(.{35,110}?)(?:\s[—–]\s|\s-\s|;\s|\.\s|,\s(?:so|which|and|because|since|with|including)\b|\s(?:because|so that|which|so)\s)/;
  return clause.exec(plain)?.[1] ?? plain;
}

/** How well a sentence of the agent tells what the turn came to. */
export function headlineScore({ text, verdict: { chances, isHeadline }, from }: Sentence): number {
  if (OPTION.test(text) || SUGGESTION.test(text)) return 0;
  return isHeadline * (chances.W + chances.F + chances.D) * (from === "agent-last" ? 1 : 0.5);
}

/** An item of a list of options. */
const SUGGESTION = /^(?:pick|choose|leave|skip|keep|try|if you)\b/i;
/** "B. Keep it as it is" */
export const OPTION = /^(?:option )?\(?[A-D1-9][).:]\s/i;
const MIN_HEADLINE_SCORE = 0.02;

interface TitleSources {
  evidence: TurnEvidence;
  sentences: readonly Sentence[];
  deliveries: readonly Delivery[];
  request: UserRequest;
}

export interface ChosenTitle {
  title: string;
  /** The agent's sentence that it is from, if any. */
  sentence?: Sentence;
  /** Item id of the earlier turn that it is from, if any. */
  source?: string | undefined;
  /** Whose words it is: a pull request may have its title from the output of a tool. */
  origin: Observation["origin"];
}

/** The agent writes its commits' subjects. The title of a pull request that it merged may be by anyone. */
function originOf({ kind }: Delivery): Observation["origin"] {
  return kind === "reference" ? "tool" : "assistant";
}

export function chooseTitle({ evidence, sentences, deliveries, request }: TitleSources): ChosenTitle | undefined {
  const notable = deliveries.filter(({ isWorthNoting }) => isWorthNoting);
  const committed = notable.find(({ prefix }) => !isMinor(prefix)) ?? notable[0];
  const headline = bestHeadline(sentences);
  if (request.kind === "plan" && titleFrom(request.title) !== undefined)
    return { title: capitalise(request.title.replaceAll("`", "")), origin: "user" };
  if (committed !== undefined && committed.title.length <= MAX_TITLE_CHARS)
    return { title: committed.title, origin: originOf(committed) };
  if (headline !== undefined) return headline;
  const commit = deliveries.find(({ title }) => title.split(/\s+/).length > 2);
  if (commit !== undefined) return { title: clip(commit.title, MAX_TITLE_CHARS), origin: originOf(commit) };
  const offered = request.kind === "reply" ? acceptedOffer(evidence) : undefined;
  if (offered !== undefined) return { title: offered, source: evidence.prompt.previousId, origin: "assistant" };
  const isTitle = request.kind === "plan" || (request.kind === "task" && !request.title.endsWith("…"));
  const asked = isTitle ? titleFrom(request.title) : undefined;
  return asked === undefined ? undefined : { title: asked, origin: "user" };
}

const OFFER =
  /(?:want me to|would you like me to|should i|shall i|do you want me to|ready for me to|i can|i could)\s+([^?]{12,160})\?/gi;

/** "Want me to add a retry to the upload?", answered with "yes" -> "Add a retry to the upload" */
function acceptedOffer({ prompt: { previousResponse = "" } }: TurnEvidence): string | undefined {
  const offer = [...previousResponse.slice(-OFFER_CHARS).matchAll(OFFER)].at(-1)?.[1];
  return offer === undefined ? undefined : titleFrom(offer.replace(/\s+/g, " "));
}

export function bestHeadline(
  sentences: readonly Sentence[],
  scoreOf: (sentence: Sentence) => number = headlineScore,
): ChosenTitle | undefined {
  const ranked = sentences
    .filter(({ from }) => from !== "user")
    .map((sentence) => ({ sentence, score: scoreOf(sentence) }))
    .filter(({ score }) => score >= MIN_HEADLINE_SCORE)
    .sort((a, b) => b.score - a.score);
  for (const { sentence } of ranked) {
    const title = titleFrom(sentence.text);
    if (title !== undefined) return { title, sentence, origin: "assistant" };
  }
  return undefined;
}
