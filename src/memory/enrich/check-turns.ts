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
import { plainWords } from "../../core/words.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import type { ObservationRow } from "../../store/tables/observations.ts";
import { citedIds, groundOf, type Piece, readShownTurn, type ShownTurn, sourcesOf } from "./cited.ts";
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
import { type ClosedEnd, closedEnds, shownNotes, replacedBy } from "./known-changes.ts";
import type { Known } from "./known-items.ts";
import { settledBy, withQuote } from "./quotes.ts";
import { isChange } from "./turn-record.ts";
import type { RecordedTurn } from "./turns-request.ts";

const MAX_OBSERVATIONS = 12;
const TITLE_CHARS = 160;
const NARRATIVE_CHARS = 2_000;
const FACT_CHARS = 400;
const MAX_FACTS = 10;
const MAX_FILES = 50;
const FIELD_CHARS = 1_500;

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

export function checkTurns(
  reply: unknown,
  recorded: readonly RecordedTurn[],
  known: Known,
): CheckedTurns | { problem: string } {
  const answer = asObject(reply);
  if (answer === undefined || !Array.isArray(answer["observations"]))
    return { problem: "it has no list of observations" };
  const tally: Tally = { kept: 0, dropped: 0 };
  const turns = new Map(recorded.map((one) => [one.evidence.prompt.number, readShownTurn(one)]));
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
  const confirmed = shownNotes(answer["confirmed"], known, tally);
  const hasChanged = recorded.some(({ evidence }) => evidence.toolUses.some(isChange));
  if (observations.length === 0 && confirmed.length === 0 && hasChanged)
    return { problem: "it does not say what was changed" };
  return { turns: checked, confirmed, closed: closedEnds(answer["closed"], turns, known, tally), tally };
}

/** The turn that the model names, or the one whose evidence it cites. */
function turnOf(raw: JsonObject, turns: ReadonlyMap<number, ShownTurn>): ShownTurn | undefined {
  const cited = asArray(raw["evidence"]);
  const hasCited = (turn: ShownTurn): boolean => cited.some((id) => typeof id === "string" && turn.ids.has(id));
  const named = turns.get(asCount(raw["turn"]) ?? 0);
  return named !== undefined && hasCited(named) ? named : [...turns.values()].findLast(hasCited);
}

function checkObservation(raw: JsonObject, turn: ShownTurn, tally: Tally): Observation | undefined {
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
  const own = plainWords(pieces.map(({ text }) => text).join("\n"));
  if (isOnlyPrinted(claim, { own, printed: pieces[0]?.printed ?? "" })) return "tool";
  const isUser = pieces.every(({ origin }) => origin === "user");
  return isUser && sharedWords(claim, prompt.text.toLowerCase()) >= USER_SHARE ? "user" : "assistant";
}

function checkSummary(raw: JsonObject, { evidence, ids, pieces, asked }: ShownTurn, tally: Tally): Summary | undefined {
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
    // The next session starts with them, so tools and pages must not write them.
    nextSteps: passingText(lines(raw["next_steps"], FIELD_CHARS), { ...ground, sources: sourcesOf(pieces) }),
    notes: field("notes"),
    filesRead: filesOf(evidence, (kind) => kind === "read"),
    filesEdited: filesOf(evidence, (kind) => kind !== "read"),
    evidence: cited.length > 0 ? cited : [evidence.prompt.id],
  };
}
