// Checks a model's reply about turns. Drops what cites no evidence that was shown, what its evidence does not contain,
// decisions without the words that settled them, and unknown ids.
import { asArray, asCount, asObject, asObjects, asString, type JsonObject } from "../../core/json.ts";
import {
  CONCEPTS,
  type Observation,
  OBSERVATION_TYPES,
  type Origin,
  type Summary,
  type TurnMemory,
} from "../../core/memory.ts";
import { contentWords, plainWords } from "../../core/words.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import type { ObservationRow } from "../../store/tables/observations.ts";
import { askedIn, conversationOf, groundOf, type Piece, piecesOf } from "./cited.ts";
import {
  type Ground,
  isOnlyPrinted,
  line,
  lines,
  listOf,
  passes,
  passingText,
  sharedWords,
  type Tally,
} from "./grounding.ts";
import { endOf, type Known, type OpenEnd } from "./known-items.ts";
import { isAgreement } from "../extract/decisions.ts";
import { isUsersOwn } from "../user-edits.ts";
import { isChange } from "./turn-record.ts";
import type { RecordedTurn } from "./turns-request.ts";

const MAX_OBSERVATIONS = 12;
const TITLE_CHARS = 160;
const NARRATIVE_CHARS = 2_000;
const FACT_CHARS = 400;
const MAX_FACTS = 10;
const MAX_FILES = 50;
const FIELD_CHARS = 1_500;
const QUOTE_CHARS = 400;

export interface CheckedTurn {
  memory: TurnMemory;
  /** The known notes that an observation replaces. */
  replaced: Map<Observation, ObservationRow[]>;
}

export interface CheckedTurns {
  /** By turn number. Turns without a usable summary are missing. */
  turns: Map<number, CheckedTurn>;
  confirmed: ObservationRow[];
  closed: ClosedEnd[];
  tally: Tally;
}

interface ClosedEnd extends OpenEnd {
  /** When the turn that did it ended. */
  doneAt: number;
}

interface Turn {
  evidence: TurnEvidence;
  ids: ReadonlySet<string>;
  pieces: ReadonlyMap<string, Piece>;
  asked: string;
  conversation: string;
}

export function checkTurns(
  reply: unknown,
  recorded: readonly RecordedTurn[],
  known: Known,
): CheckedTurns | { problem: string } {
  const answer = asObject(reply);
  if (answer === undefined || !Array.isArray(answer["observations"]))
    return { problem: "it has no list of observations" };
  const tally: Tally = { kept: 0, dropped: 0 };
  const turns = new Map(recorded.map((one) => [one.evidence.prompt.number, loadTurn(one)]));
  const checked = new Map<number, CheckedTurn>();
  for (const raw of asObjects(answer["turns"])) {
    const turn = turns.get(asCount(raw["turn"]) ?? 0);
    const summary = turn && checkSummary(raw, turn, tally);
    if (turn !== undefined && summary !== undefined)
      checked.set(turn.evidence.prompt.number, { memory: { observations: [], summary }, replaced: new Map() });
  }
  if (checked.size === 0) return { problem: "it has no summary of a turn" };
  const given = asObjects(answer["observations"]);
  /** Turns with observations of which none passed so far. */
  const emptied = new Set<number>();
  for (const raw of given) {
    const turn = turnOf(raw, turns);
    const target = turn && checked.get(turn.evidence.prompt.number);
    const observation = turn && checkObservation(raw, turn, tally);
    if (turn === undefined || observation === undefined || target === undefined) {
      tally.dropped++;
      const number = turn?.evidence.prompt.number ?? asCount(raw["turn"]) ?? 0;
      if (checked.get(number)?.memory.observations.length === 0) emptied.add(number);
      continue;
    }
    emptied.delete(turn.evidence.prompt.number);
    if (target.memory.observations.length >= MAX_OBSERVATIONS) continue;
    target.memory.observations.push(observation);
    const { projectId } = turn.evidence;
    target.replaced.set(observation, replacedBy({ observation, projectId }, raw["replaces"], known, tally));
  }
  // The extractor's notes are better than none.
  for (const number of emptied) checked.delete(number);
  const observations = [...checked.values()].flatMap(({ memory }) => memory.observations);
  if (checked.size === 0 || (observations.length === 0 && given.length > 0))
    return { problem: "no observation cites ids of the record and keeps to what is in it" };
  const confirmed = knownOf(answer["confirmed"], known, tally);
  const hasChanged = recorded.some(({ evidence }) => evidence.toolUses.some(isChange));
  if (observations.length === 0 && confirmed.length === 0 && hasChanged)
    return { problem: "it does not say what was changed" };
  return { turns: checked, confirmed, closed: closedEnds(answer["closed"], turns, known, tally), tally };
}

function loadTurn({ evidence, record }: RecordedTurn): Turn {
  const pieces = piecesOf(evidence);
  return { evidence, ids: record.ids, pieces, asked: askedIn(pieces), conversation: conversationOf(pieces) };
}

/** The turn that the model names, or the one whose evidence it cites. */
function turnOf(raw: JsonObject, turns: ReadonlyMap<number, Turn>): Turn | undefined {
  const cited = asArray(raw["evidence"]);
  const hasCited = (turn: Turn): boolean => cited.some((id) => typeof id === "string" && turn.ids.has(id));
  const named = turns.get(asCount(raw["turn"]) ?? 0);
  return named !== undefined && hasCited(named) ? named : [...turns.values()].findLast(hasCited);
}

function checkObservation(raw: JsonObject, turn: Turn, tally: Tally): Observation | undefined {
  const type = OBSERVATION_TYPES.find((known) => known === raw["type"]);
  const title = line(raw["title"], TITLE_CHARS);
  if (type === undefined || title === "") return undefined;
  const cited = citedIds(raw["evidence"], turn.ids);
  if (cited.length === 0) return undefined;
  const pieces = cited.map((id) => turn.pieces.get(id)).filter((piece) => piece !== undefined);
  const ground = groundOf(pieces, turn.asked, tally);
  if (!passes(title, { ...ground, tally: { kept: 0, dropped: 0 } })) return undefined;
  const quote = type === "decision" ? settledBy(raw["quote"], title, pieces, turn.conversation) : undefined;
  if (type === "decision" && quote === undefined) return undefined;
  tally.kept++;
  const subtitle = passingText(line(raw["subtitle"], TITLE_CHARS), ground);
  const narrative = passingText(lines(raw["narrative"], NARRATIVE_CHARS), ground);
  const facts = listOf(raw["facts"], FACT_CHARS).filter((fact) => passes(fact, ground));
  return {
    type,
    title,
    ...(subtitle !== "" && { subtitle }),
    narrative: narrative || title,
    facts: withQuote(facts.slice(0, MAX_FACTS), quote, `${title}\n${narrative}`),
    concepts: CONCEPTS.filter((concept) => asArray(raw["concepts"]).includes(concept)),
    files: touchedFiles(raw["files"], turn.evidence),
    evidence: cited,
    origin: quote?.origin ?? originOf(pieces, `${title}\n${narrative}`, turn.evidence),
  };
}

function citedIds(raw: unknown, ids: ReadonlySet<string>): string[] {
  const cited = asArray(raw).filter((id): id is string => typeof id === "string" && ids.has(id));
  return [...new Set(cited)];
}

export interface Quote {
  text: string;
  origin: Origin;
}

/** Shorter quotes ("yes", "Redis") settle something only if they are the user's whole answer, or agree. */
const MIN_QUOTE_WORDS = 3;
/** At least this share of the words in a decision's title must occur in what was said. */
const DECISION_SHARE = 0.4;

/** The words that settled a decision, if they were said in the cited evidence. Output of tools settles nothing. */
export function settledBy(
  raw: unknown,
  title: string,
  pieces: readonly Piece[],
  conversation: string,
): Quote | undefined {
  if (sharedWords(title, conversation) < DECISION_SHARE) return undefined;
  const quote = findQuote(raw, pieces);
  // "Look at the cache" settles nothing about Redis: the agent said the rest.
  const isSettled =
    quote?.origin !== "user" || isAnswered(quote.text, pieces) || sharedWords(title, plainWords(quote.text)) > 0;
  return quote && !isSettled ? { ...quote, origin: "assistant" } : quote;
}

/** True for a short prompt or answer as a whole, and for "yes". */
function isAnswered(quote: string, pieces: readonly Piece[]): boolean {
  const words = plainWords(quote);
  const isWhole = ({ replies }: Piece): boolean => !isLong(words) && replies.includes(words);
  return pieces.some((piece) => isWhole(piece) || (isAgreement(quote) && piece.asked.startsWith(words)));
}

function isLong(words: string): boolean {
  return words.trim().split(" ").length >= MIN_QUOTE_WORDS;
}

/** The quote, if one of the pieces says it. */
function findQuote(raw: unknown, pieces: readonly Piece[]): Quote | undefined {
  const text = line(raw, QUOTE_CHARS).replace(/^["“„'«]+|["”'»]+$/g, "");
  const words = plainWords(text);
  if (words.trim() === "") return undefined;
  if (isAnswered(text, pieces) || (isLong(words) && pieces.some(({ asked }) => asked.includes(words))))
    return { text, origin: "user" };
  const isOwn = pieces.some(({ said, printed }) => said.includes(words) && !printed.includes(words));
  return isLong(words) && isOwn ? { text, origin: "assistant" } : undefined;
}

/** Adds the quote to the facts, unless the observation has its words already. */
function withQuote(facts: string[], quote: Quote | undefined, said: string): string[] {
  if (quote === undefined || plainWords(said).includes(plainWords(quote.text))) return facts;
  return [`“${quote.text}” (${quote.origin === "user" ? "the user" : "the agent"})`, ...facts];
}

function filesOf({ toolUses }: TurnEvidence, isWanted: (kind: string) => boolean): string[] {
  const files = toolUses.flatMap((use) => use.files).filter(({ kind }) => isWanted(kind));
  return [...new Set(files.map(({ path }) => path))];
}

/** Maps the model's paths to paths the turn touched, and drops all others. */
function touchedFiles(raw: unknown, evidence: TurnEvidence): string[] {
  const touched = filesOf(evidence, () => true);
  const endsAlike = (a: string, b: string): boolean => a !== "" && (a.endsWith(`/${b}`) || b.endsWith(`/${a}`));
  const named = asArray(raw).map((path) => asString(path) ?? "");
  const found = named.map((path) => touched.find((one) => one === path) ?? touched.find((one) => endsAlike(path, one)));
  return [...new Set(found)].filter((path) => path !== undefined).slice(0, MAX_FILES);
}

/** Of the observations that cite only the user, those with this share of their words in the prompt are the user's. */
const USER_SHARE = 0.6;

/** The least trusted cited piece decides the origin: tool output, the agent (also its edits), the user. */
function originOf(pieces: readonly Piece[], claim: string, { prompt }: TurnEvidence): Origin {
  if (pieces.some(({ origin }) => origin === "tool")) return "tool";
  const wordsIn = (field: "text" | "printed"): string => plainWords(pieces.map((piece) => piece[field]).join("\n"));
  if (isOnlyPrinted(claim, { own: wordsIn("text"), printed: wordsIn("printed") })) return "tool";
  const isUser = pieces.every(({ origin }) => origin === "user");
  return isUser && sharedWords(claim, prompt.text.toLowerCase()) >= USER_SHARE ? "user" : "assistant";
}

function checkSummary(raw: JsonObject, { evidence, ids, pieces, asked }: Turn, tally: Tally): Summary | undefined {
  const ground: Ground = groundOf([...pieces.values()], asked, tally);
  const field = (name: string): string => passingText(lines(raw[name], FIELD_CHARS), ground);
  const [request, investigated] = [field("request"), field("investigated")];
  const [learned, completed] = [field("learned"), field("completed")];
  if ([request, investigated, learned, completed].every((text) => text === "")) return undefined;
  const cited = citedIds(raw["evidence"], ids);
  return {
    request,
    investigated,
    learned,
    completed,
    nextSteps: field("next_steps"),
    notes: field("notes"),
    filesRead: filesOf(evidence, (kind) => kind === "read"),
    filesEdited: filesOf(evidence, (kind) => kind !== "read"),
    evidence: cited.length > 0 ? cited : [evidence.prompt.id],
  };
}

function knownOf(raw: unknown, known: Known, tally: Tally): ObservationRow[] {
  return asArray(raw).flatMap((id) => {
    const row = typeof id === "string" ? known.notes.get(id) : undefined;
    if (row === undefined) tally.dropped++;
    else tally.kept++;
    return row ?? [];
  });
}

/** A replaced note must be about the same thing: a common file, or this many words. */
const MIN_SHARED_WORDS = 2;

/**
 * What a user pinned stays, and what holds for every project. A decision is replaced only by a decision, a user's note
 * only by the user's words.
 */
export function mayReplace(
  newer: Pick<ObservationRow, "type" | "origin" | "project_id">,
  older: ObservationRow,
): boolean {
  return (
    older.pinned === 0 &&
    older.project_id === newer.project_id &&
    (older.type !== "decision" || newer.type === "decision") &&
    (newer.origin === "user" || !(older.origin === "user" || isUsersOwn(older)))
  );
}

interface Replacing {
  observation: Observation;
  projectId: number;
}

function replacedBy({ observation, projectId }: Replacing, raw: unknown, known: Known, tally: Tally): ObservationRow[] {
  const words = new Set(plainWords(`${observation.title} ${observation.narrative}`).split(" "));
  return knownOf(raw, known, tally).filter((row) => {
    const files = JSON.parse(row.files) as string[];
    const shared = plainWords(row.title)
      .split(" ")
      .filter((word) => word.length > MIN_SHARED_WORDS && words.has(word));
    const isSameTopic = shared.length >= MIN_SHARED_WORDS || files.some((path) => observation.files.includes(path));
    const { type, origin } = observation;
    if (isSameTopic && mayReplace({ type, origin, project_id: projectId }, row)) return true;
    tally.kept--;
    tally.dropped++;
    return false;
  });
}

/** At least this share of a step's words must be in what was said or done. */
const CLOSED_SHARE = 0.3;
const STEM_CHARS = 4;

/** "Push the branch" shares "push" with `git push`, "Run the tests" "test" with `npm test`. */
function isAbout(step: string, done: string): boolean {
  const stems = (text: string): string[] => [...contentWords(text)].map((word) => word.slice(0, STEM_CHARS));
  const [of, known] = [stems(step), new Set(stems(done))];
  return of.filter((stem) => known.has(stem)).length >= Math.max(1, of.length * CLOSED_SHARE);
}

/** Open ends are closed by what the agent did or the user said, not by what a file or a page says. */
function closedEnds(raw: unknown, turns: ReadonlyMap<number, Turn>, known: Known, tally: Tally): ClosedEnd[] {
  return asObjects(raw).flatMap((one) => {
    const end = known.openEnds.get(asString(one["id"]) ?? "");
    // A later turn of the same request may open it again.
    const doer = [...turns.values()].find(({ ids, pieces }) =>
      citedIds(one["evidence"], ids).some((id) => isAbout(end?.step ?? "", pieces.get(id)?.done ?? "")),
    );
    if (end === undefined || doer === undefined) {
      tally.dropped++;
      return [];
    }
    tally.kept++;
    return [{ ...end, doneAt: endOf([doer.evidence]) }];
  });
}
