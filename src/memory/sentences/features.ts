// Turns a sentence, or a whole turn, into numbered features for the classifier. dev/train-sentences.ts trains on exactly
// these features, so a change here needs new weights.

/** One sentence and where it is from. */
export interface SourceSentence {
  /** user: the prompt; agent-mid: said while working; agent-last: in the last message of the turn. */
  from: "user" | "agent-mid" | "agent-last";
  kind: "text" | "item";
  /** The heading above it, or "". */
  section: string;
  text: string;
}

export interface SourceTurn {
  prompt: string;
  /** Undefined if the session has no later prompt. */
  nextPrompt: string | undefined;
  changedFiles: readonly string[];
  sentences: readonly SourceSentence[];
}

export const SENTENCE_BUCKETS = 1 << 15;
export const TURN_BUCKETS = 1 << 13;

/** The label's letters as in the labelled data. */
export const LABELS = ["D", "F", "W", "N", "A", "T", "V", "Q", "O"] as const;
export type Label = (typeof LABELS)[number];

const ACCEPTS =
  /^(?:yes|yep|yeah|ok|okay|sure|do it|go ahead|please do|sounds good|perfect|great|agreed|correct|right|lgtm|option|let'?s|proceed|continue|\d|[abc]\b|commit|push)/i;
const ASKS = /^(?:what|how|why|where|is|are|does|do|can|could|should)\b|\?\s*$/i;
const PLAN = /^(?:implement the following plan|#)/i;
/** Words for work that is left. */
const OPEN_WORK =
  /\b(?:still (?:needs?|open|pending|missing|outstanding|stale|fail\w*|running|has|have|valid|to (?:do|be|come)|not)|not (?:yet|been)\b|yet to\b|(?:is|are|was|were|be)(?: still)? not (?:yet )?(?:published|merged|committed|pushed|implemented|done|tested|verified|fixed|run|deployed|wired|covered|started|included|updated)|(?:has|have)n['’]t (?:been )?\w+ed|remain(?:s|ing)\b|pending\b|outstanding\b|blocked (?:by|on)\b|waiting (?:for|on)|left to (?:do|fix)|(?:intentionally )?deferred|follow[- ]?up|next steps?\b|next up\b|to ?do\b|unverified|untested|uncommitted|unpushed|unmerged|needs? (?:to be|manual|your|a (?:follow|decision|rebase|restart))|you(?:['’]ll| will)? (?:still )?(?:need|have) to|must be (?:fixed|done|run|set|configured)|should be (?:fixed|addressed|done) before|before merge|once (?:merged|this|that|the)\b|after (?:this|that|the) (?:lands|merge|patch|fix|PR)|could not (?:run|verify|test|be)|couldn['’]t (?:run|verify|test)|wasn['’]t able|pre-existing (?:gap|failure|issue)|known (?:gap|issue|limitation)|future (?:phase|work|PR)|ready for (?:\S+ ){0,4}(?:review|plan|merge|when)|holding (?:on|off))/i;
const OPEN_SECTION =
  /^(?:next|remaining|to ?do|follow[- ]?up|open\b|outstanding|not (?:done|yet|started)|pending|blocked|deferred|intentionally deferred|noted for later|known (?:gap|issue|limitation)|still |keep open|do not close|what(?:['’]s|’s| is) (?:next|left|missing)|before merging|required|needs|gaps|(?:critical|high|medium|low)\b)/i;
const OFFER =
  /^(?:want me to|would you like|should i|shall i|do you want|let me know|ready to|if you(?:['’]d)? (?:like|want)|happy to|i can)\b/i;
const DOCUMENT = /\.(?:md|mdx|txt|rst)$/i;

const MAX_TOKEN_CHARS = 100;

/** Names of code, paths, addresses and numbers become their kind, because names differ between projects. */
function wordsOf(text: string): string[] {
  const general = text
    .replace(/`[^`]*`/g, " <code> ")
    .replace(/\S+/g, kindOfToken)
    .replace(/#?\d+/g, "#")
    .toLowerCase();
  return general.match(/<\w+>|[\p{L}']+|[#.?!:;—–()"→]/gu) ?? [];
}

function kindOfToken(token: string): string {
  if (token.length > MAX_TOKEN_CHARS) return " <path> ";
  if (/^\W*https?:\/\//.test(token)) return " <url> ";
  if (token.includes("/") && /\.\w/.test(token.slice(token.indexOf("/")))) return " <path> ";
  return token.replace(/\b\w+\.[a-z]{1,4}\b/g, " <file> ").replace(/\b[a-z]+[A-Z]\w*\b|\b\w+_\w+\b/g, " <id> ");
}

/** FNV-1a with a final mix. */
function bucket(name: string, buckets: number): number {
  let hash = 2_166_136_261;
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) % buckets;
}

function numbered(names: readonly string[], buckets: number): number[] {
  return [...new Set(names.map((name) => bucket(name, buckets)))];
}

function nextKind(nextPrompt: string | undefined): string {
  if (nextPrompt === undefined) return "ends";
  if (ACCEPTS.test(nextPrompt.trim())) return "accepts";
  return nextPrompt.slice(0, 200).includes("?") ? "asks" : "goes on";
}

const MAX_SENTENCE_CHARS = 600;
const MAX_SECTION_CHARS = 120;

/** The features of every sentence of a turn. */
export function sentenceFeatures(turn: SourceTurn): number[][] {
  const words = turn.sentences.map(({ text }) => wordsOf(text.slice(0, MAX_SENTENCE_CHARS)));
  const counts = Map.groupBy(turn.sentences.keys(), (index) => turn.sentences[index]?.from);
  const shared = {
    next: nextKind(turn.nextPrompt),
    hasChanges: turn.changedFiles.length > 0,
    isLast: turn.nextPrompt === undefined,
    promptSize: [80, 300, 1000].filter((size) => turn.prompt.length >= size).length,
    isPlan: PLAN.test(turn.prompt),
    isQuestion: ASKS.test(turn.prompt.trim()),
    changedNames: turn.changedFiles.map((path) => path.split("/").at(-1) ?? path),
  };
  return turn.sentences.map((sentence, index) => {
    const ofSource = [...(counts.get(sentence.from) ?? [])];
    const place = ofSource.indexOf(index);
    const names = [
      ...aboutTurn(sentence, shared),
      ...aboutWords(sentence, words[index] ?? []),
      ...aboutForm(sentence, shared),
    ];
    // The labelled sentences from before the last message are a sample, so their places mean nothing.
    if (sentence.from !== "agent-mid") {
      names.push(`place ${sentence.from} ${Math.min(place, 3)}`);
      names.push(`from end ${sentence.from} ${Math.min(ofSource.length - 1 - place, 3)}`);
      names.push(`of ${sentence.from} ${Math.min(6, Math.trunc(ofSource.length / 4))}`);
    }
    for (const [label, other] of [
      ["before", index - 1],
      ["after", index + 1],
    ] as const) {
      if (turn.sentences[other]?.from !== sentence.from) continue;
      for (const word of words[other]?.slice(0, 2) ?? []) names.push(`${label} ${sentence.from} ${word}`);
    }
    return numbered(names, SENTENCE_BUCKETS);
  });
}

type Shared = Record<"hasChanges" | "isLast" | "isPlan" | "isQuestion", boolean> & {
  next: string;
  promptSize: number;
  changedNames: string[];
};

function aboutTurn({ from, kind, section, text }: SourceSentence, shared: Shared): string[] {
  const heading = wordsOf(section.slice(0, MAX_SECTION_CHARS));
  return [
    `from ${from}`,
    `kind ${from} ${kind}`,
    `length ${from} ${Math.min(8, Math.trunc(text.length / 40))}`,
    `changed ${from} ${shared.hasChanges}`,
    `next ${shared.next} ${from}`,
    `last ${shared.isLast} ${from}`,
    `prompt ${from} ${shared.promptSize}`,
    `plan ${from} ${shared.isPlan}`,
    `question ${from} ${shared.isQuestion} ${shared.hasChanges}`,
    section === "" ? `no section ${from} ${kind}` : `section ${from} ${heading.slice(0, 4).join(" ")}`,
    ...heading.map((word) => `in section ${from} ${word}`),
  ];
}

function aboutWords({ from, kind }: SourceSentence, words: readonly string[]): string[] {
  const names: string[] = [];
  for (const [index, word] of words.entries()) {
    names.push(`1 ${word}`, `1 ${from} ${word}`);
    if (index > 0) names.push(`2 ${words[index - 1]} ${word}`);
    if (word.length > 4 && /^\p{L}/u.test(word)) names.push(`ending ${word.slice(-3)}`);
  }
  for (const size of [1, 2, 3]) names.push(`begins ${from} ${words.slice(0, size).join(" ")}`);
  for (const size of [1, 2]) names.push(`begins ${from} ${kind} ${words.slice(0, size).join(" ")}`);
  names.push(`ends ${from} ${words.at(-1) ?? ""}`);
  names.push(`first ending ${from} ${(words[0] ?? "").slice(-2)} ${kind}`);
  names.push(`second ending ${from} ${(words[1] ?? "").slice(-2)}`);
  return names;
}

function aboutForm({ from, kind, text, section }: SourceSentence, shared: Shared): string[] {
  const form = [
    /^[^.]{2,50}:\s/.test(text) ? "label:" : "",
    /\s[—–-]\s/.test(text) ? "dash" : "",
    text.includes("→") ? "arrow" : "",
    /[?.:]$/.exec(text)?.[0] ?? "",
  ];
  return [
    `code ${from} ${Math.min(3, codeNames(text))}`,
    `path ${from} ${/\w\/[\w.-]{1,80}\.\w|\.\w{2,4}:\d/.test(text)} ${shared.hasChanges}`,
    `changed file ${from} ${shared.changedNames.some((name) => text.includes(name))}`,
    `form ${from} ${kind} ${form.join("")}`,
    `open work ${from} ${OPEN_WORK.test(text)}`,
    `open section ${from} ${OPEN_SECTION.test(section)}`,
    `offer ${from} ${OFFER.test(text)} ${shared.isLast}`,
  ];
}

function codeNames(text: string): number {
  return text.match(/`[^`]+`/g)?.length ?? 0;
}

/**
 * Second step: a sentence's own probabilities, those of its neighbours, and the means of its section and message.
 * Sentences of one list mostly have the same label.
 */
export function contextFeatures(turn: SourceTurn, chances: readonly (readonly number[])[]): number[][] {
  const { sentences } = turn;
  const none = LABELS.map(() => 0);
  const indexes = [...sentences.keys()];
  const bySource = Map.groupBy(indexes, (index) => sentences[index]?.from);
  const bySection = Map.groupBy(indexes, (index) => `${sentences[index]?.from}\n${sentences[index]?.section}`);
  const sums = new Map([...bySource, ...bySection].map(([key, members]) => [key, sumOf(members, chances)]));
  const meanOfOthers = (key: string, members: readonly number[], own: readonly number[]): number[] => {
    const others = members.length - 1;
    const sum = sums.get(key as SourceSentence["from"]) ?? none;
    return others < 1 ? [...none, 1] : [...sum.map((value, label) => (value - (own[label] ?? 0)) / others), 0];
  };
  const asked = contentWords(turn.prompt.slice(0, PROMPT_CHARS));
  const contents = sentences.map(({ text }) => contentWords(text.slice(0, MAX_SENTENCE_CHARS)));
  const told = new Map<string, number>();
  for (const words of contents) for (const word of words) told.set(word, (told.get(word) ?? 0) + 1);
  return sentences.map(({ from, section, kind, text }, index) => {
    const content = contents[index] ?? new Set();
    const shareOf = (isOne: (word: string) => boolean): number =>
      content.size === 0 ? 0 : [...content].filter(isOne).length / content.size;
    const own = chances[index] ?? none;
    const neighbour = (other: number): readonly number[] =>
      sentences[other]?.from === from ? [...(chances[other] ?? none), 0] : [...none, 1];
    const key = `${from}\n${section}`;
    return [
      1,
      ...own.flatMap((chance) => [Math.log(chance + 1e-4) / 4, chance]),
      ...neighbour(index - 1),
      ...neighbour(index + 1),
      ...meanOfOthers(key, bySection.get(key) ?? [], own),
      ...meanOfOthers(from, bySource.get(from) ?? [], own),
      Number(from === "user"),
      Number(from === "agent-mid"),
      Number(from === "agent-last"),
      Number(kind === "item"),
      Number(OPEN_WORK.test(text)),
      Number(OPEN_SECTION.test(section)),
      Number(OFFER.test(text) || text.endsWith("?")),
      Number(turn.nextPrompt === undefined),
      Number(turn.changedFiles.length > 0),
      shareOf((word) => asked.has(word)),
      shareOf((word) => (told.get(word) ?? 0) > 1),
      Math.min(1, content.size / 15),
      Number(index === 0 || sentences[index - 1]?.from !== from),
      Math.min(1, text.length / 200),
      Math.min(1, codeNames(text) / 3),
    ];
  });
}

function contentWords(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(({ length }) => length > 3));
}

function sumOf(members: readonly number[], chances: readonly (readonly number[])[]): number[] {
  return LABELS.map((_, label) => members.reduce((sum, index) => sum + (chances[index]?.[label] ?? 0), 0));
}

const PROMPT_CHARS = 600;
const PROMPT_WORDS = 60;
const BIGRAM_WORDS = 15;
const FIRST_SENTENCES = 6;

/** The features that tell what type of work a turn was. */
export function turnFeatures(turn: SourceTurn): number[] {
  const { prompt, changedFiles, sentences } = turn;
  const words = wordsOf(prompt.slice(0, PROMPT_CHARS)).slice(0, PROMPT_WORDS);
  const last = sentences.filter(({ from }) => from === "agent-last");
  const names = [
    ...words.map((word) => `prompt ${word}`),
    ...words.slice(1, BIGRAM_WORDS).map((word, index) => `prompt ${words[index]} ${word}`),
    ...[1, 2, 3].map((size) => `prompt begins ${words.slice(0, size).join(" ")}`),
    `question ${ASKS.test(prompt.trim())}`,
    `plan ${PLAN.test(prompt)}`,
    `size ${Math.min(4, Math.trunc(Math.log2(prompt.length / 50 + 1)))}`,
    ...changedFiles.map((path) => `extension ${path.split(".").at(-1)}`),
    `files ${Math.min(5, changedFiles.length)}`,
    `documents ${changedFiles.length > 0 && changedFiles.every((path) => DOCUMENT.test(path))}`,
    `tests ${changedFiles.some((path) => /test|spec/i.test(path))}`,
    `sentences ${Math.min(6, Math.trunc(last.length / 3))} ${changedFiles.length > 0}`,
    `last ${turn.nextPrompt === undefined}`,
    ...last
      .flatMap(({ section }) => wordsOf(section.slice(0, MAX_SECTION_CHARS)).slice(0, 4))
      .map((word) => `heading ${word}`),
  ];
  for (const [index, { text }] of last.slice(0, FIRST_SENTENCES).entries()) {
    const said = wordsOf(text.slice(0, MAX_SENTENCE_CHARS));
    names.push(...said.map((word) => `said ${word}`));
    for (const size of [1, 2]) names.push(`said begins ${Math.min(2, index)} ${said.slice(0, size).join(" ")}`);
  }
  return numbered(names, TURN_BUCKETS);
}
