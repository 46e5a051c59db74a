// Chooses the lines that say what a session came to: sentences of its observations and summaries that name the most
// and repeat the least.
import { looksLikeInstruction } from "../../core/privacy/fence.ts";
import { sentencesOf, stripMarkdown } from "../../core/prose.ts";
import type { WorkTree } from "../../core/work-tree.ts";
import { contentWords } from "../../core/words.ts";
import type { Db } from "../../store/db/driver.ts";
import { observationsByIds } from "../../store/fts/observation-words.ts";
import { latestIdsOfSession, observationOf, type ObservationRow } from "../../store/tables/observations.ts";
import { currentSummaries } from "../../store/tables/summaries.ts";
import { type Line, quoteLine } from "./block.ts";
import { checkAgainstTree } from "./freshness.ts";
import { isFileList, itemId } from "./observation-lines.ts";

interface Candidate {
  text: string;
  turn: number;
  /** The observation it is from. */
  observation: ObservationRow | undefined;
  score: number;
  words: ReadonlySet<string>;
  /** Its place in the turn's memory, so that sentences of a line keep their order. */
  place: number;
}

/** "3. Fixed the docs": apart from its list the number says nothing. */
const LIST_NUMBER = /^\d{1,2}[.)]\s+(?=\S)/;

/** Of a long session only the latest count. */
const MAX_OBSERVATIONS = 40;
const MIN_CHARS = 25;
const MAX_CHARS = 320;
/** Two or three sentences about the same thing. */
const LINE_CHARS = 380;
const SENTENCES_PER_LINE = 3;
/** Each later turn counts this much more than the one before. */
const RECENCY = 0.88;
/** A sentence must add this share of new words. */
const MIN_NOVELTY = 0.35;

/** A finding of a turn that changed files often describes what the turn then fixed. */
const FIXED_SINCE = 0.4;

const WEIGHTS = { title: 1.3, completed: 1.1, fact: 1, learned: 1, narrative: 0.8 };

interface ResultOptions {
  maxLines: number;
  maxChars: number;
  /** What the block says already. */
  said: string;
  /** Omits observations whose files are gone. */
  tree: WorkTree | undefined;
}

export function resultLines(db: Db, sessionDbId: number, { tree, said, ...limits }: ResultOptions): Line[] {
  const observations = observationsByIds(db, latestIdsOfSession(db, sessionDbId, MAX_OBSERVATIONS)).filter(
    (row) => row.type !== "decision" && !isFileList(row) && !areFilesGone(tree, row),
  );
  return linesOf(choose(candidatesOf(db, sessionDbId, observations), contentWords(said), limits));
}

function areFilesGone(tree: WorkTree | undefined, row: ObservationRow): boolean {
  if (tree === undefined) return false;
  return (
    checkAgainstTree(observationOf(row), { top: tree.top, since: row.valid_from, readFiles: false }).kind === "gone"
  );
}

function candidatesOf(db: Db, sessionDbId: number, observations: readonly ObservationRow[]): Candidate[] {
  const candidates: Candidate[] = [];
  const summaries = currentSummaries(db, sessionDbId);
  const fixed = new Set(
    summaries
      .filter(({ files_edited }) => files_edited !== "[]")
      .flatMap(({ learned }) => splitText(learned).map(stripMarkdown)),
  );
  const add = (text: string, weight: number, turn: number, observation?: ObservationRow): void => {
    const plain = stripMarkdown(text).replace(LIST_NUMBER, "");
    if (!isComplete(plain) || candidates.some((other) => other.text === plain)) return;
    const words = contentWords(plain);
    const score = weight * informationOf(plain, words) * (fixed.has(plain) ? FIXED_SINCE : 1);
    candidates.push({ text: plain, turn, observation, words, score, place: candidates.length });
  };
  for (const row of observations) {
    const { title, narrative, facts } = observationOf(row);
    const turn = row.prompt_number ?? 0;
    add(title, WEIGHTS.title, turn, row);
    for (const fact of facts) add(fact, WEIGHTS.fact, turn, row);
    for (const sentence of sentencesOf(narrative)) add(sentence, WEIGHTS.narrative, turn, row);
  }
  for (const { prompt_number: turn, completed, learned } of summaries) {
    for (const sentence of splitText(completed)) add(sentence, WEIGHTS.completed, turn);
    for (const sentence of splitText(learned)) add(sentence, WEIGHTS.learned, turn);
  }
  const lastTurn = Math.max(0, ...candidates.map(({ turn }) => turn));
  return candidates.map((one) => ({ ...one, score: one.score * RECENCY ** (lastTurn - one.turn) }));
}

function splitText(text: string): string[] {
  return text.split("\n").flatMap(sentencesOf);
}

/** False for fragments and file lists, for plans and offers, and for sentences that need the one before them. */
function isComplete(text: string): boolean {
  if (text.length < MIN_CHARS || text.length > MAX_CHARS || /[:…?]$/.test(text)) return false;
  if (POINTING.test(text) || INTENTION.test(text) || FACT.test(text) || OFFER.test(text)) return false;
  if (looksLikeInstruction(text)) return false;
  // "uses the same workflow": the subject is in a heading or in the sentence before.
  if (/^[a-z][a-z'’-]*(?:\s|$)/.test(text)) return false;
  return (text.replace(/`[^`]*`/g, " ").match(/\p{L}{2,}/gu) ?? []).length >= MIN_WORDS;
}

/** Words outside code. */
const MIN_WORDS = 4;
const POINTING =
  /^(?:it|its|this|that|these|those|they|each|also|but|so|then|here|there|however|otherwise|both|yes|no|mostly|correct|right|done|same|good|great|perfect|ok|okay)\b/i;
const INTENTION =
  /^(?:I['’](?:m|ll|d|ve)|I (?:will|am|can|could|would|think|need|want|have)|let me|let['’]s|wait\b|hmm|interesting|we (?:could|should|can)|you (?:can|could|may|should|were|are|['’]re)|want me|would you|should I|next,? I|now I|try|ready to)\b/i;
const OFFER = /\bif you(?:['’]d)? (?:want|like|prefer)\b|\blet me know\b/i;
/** Deliveries, test results and file lists: the line about the whole session says them. */
const FACT =
  /^(?:Asked: “|Changed \d+ files?\b|Renamed \S+ to |(?:Commit|PR|Merged PR|Opened PR)(?: [#0-9a-f]|: )|Ran `|`[^`]+`: \d|(?:File|Path|Location|Description|Note|Files changed): )/;

/** Longer sentences and those with names say more: `parseLine`, src/app.ts, #12, 1a2b3c4. */
function informationOf(text: string, words: ReadonlySet<string>): number {
  return (1 + Math.min(4, namesIn(text))) * Math.sqrt(words.size);
}

const NAME =
  /`[^`]+`|\b[\w-]*[a-z][A-Z]\w*|\b\w+_\w+|[\w./-]+\.(?:[cm]?[jt]sx?|md|rs|py|go|java|rb|json|ya?ml|css|toml|sql|sh)\b|#\d+|\b[0-9a-f]{7,40}\b/g;

function namesIn(text: string): number {
  return new Set(text.match(NAME)).size;
}

interface Group {
  turn: number;
  sentences: Candidate[];
}

/** Greedy: the best sentence, then the best of those that add something new, until there are enough lines. */
function choose(
  candidates: readonly Candidate[],
  alreadySaid: ReadonlySet<string>,
  { maxLines, maxChars }: Pick<ResultOptions, "maxLines" | "maxChars">,
): Group[] {
  const groups: Group[] = [];
  const rest = new Set(candidates);
  const said = new Set(alreadySaid);
  let charsLeft = maxChars;
  while (rest.size > 0) {
    let best: { candidate: Candidate; value: number; group: Group | undefined } | undefined;
    for (const candidate of rest) {
      const novelty = noveltyOf(candidate.words, said);
      const group = groups.find((one) => isRoomIn(one, candidate));
      if (novelty < MIN_NOVELTY || (group === undefined && groups.length >= maxLines)) continue;
      const value = candidate.score * novelty;
      if (best === undefined || value > best.value) best = { candidate, value, group };
    }
    if (best === undefined) break;
    const { candidate, group } = best;
    rest.delete(candidate);
    if (candidate.text.length > charsLeft) continue;
    charsLeft -= candidate.text.length;
    for (const word of candidate.words) said.add(word);
    if (group !== undefined) group.sentences.push(candidate);
    else groups.push({ turn: candidate.turn, sentences: [candidate] });
  }
  return groups;
}

function noveltyOf(words: ReadonlySet<string>, said: ReadonlySet<string>): number {
  return words.size === 0 ? 0 : [...words].filter((word) => !said.has(word)).length / words.size;
}

/** Sentences of a turn share a line, so that they explain each other; those of different observations do not. */
function isRoomIn({ turn, sentences }: Group, { turn: own, text, observation }: Candidate): boolean {
  const chars = sentences.reduce((sum, sentence) => sum + sentence.text.length + 2, 0);
  const [other] = sentences.flatMap((sentence) => sentence.observation ?? []);
  const isSame = other === undefined || observation === undefined || other.id === observation.id;
  return turn === own && isSame && sentences.length < SENTENCES_PER_LINE && chars + text.length <= LINE_CHARS;
}

/** In the order in which it happened: a later line may fix what an earlier one found. */
function linesOf(groups: readonly Group[]): Line[] {
  const inOrder = groups.toSorted((a, b) => a.turn - b.turn);
  return inOrder.map((group) => {
    const sentences = group.sentences.toSorted((a, b) => a.place - b.place);
    const row = sentences.find(({ observation }) => observation !== undefined)?.observation;
    // Not joined to a text: in the message, other sentences stood between them.
    const text = sentences.map((sentence) => sentence.text.replace(/[.]$/, "")).join(" · ");
    const id = row === undefined ? "" : ` (#${itemId(row)})`;
    return { text: `- ${quoteLine(text, LINE_CHARS + 20)}${id}`, items: row === undefined ? [] : [itemId(row)] };
  });
}
