// What a model says is taken only as far as it can be traced: known types, ids it was given, names that are in the record.
import { asArray, asObject, asObjects, asString, type JsonObject } from "../../core/json.ts";
import { filterText } from "../../core/privacy/filter.ts";
import {
  type Concept,
  CONCEPTS,
  type Observation,
  OBSERVATION_TYPES,
  type Origin,
  type Summary,
  type TurnMemory,
} from "../../core/memory.ts";
import { oneLine, plainLines, truncate } from "../../core/text.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { isGrounded, sharedWords } from "./grounding.ts";
import { isCovered, type TurnRecord } from "./record.ts";

const MAX_OBSERVATIONS = 12;
const TITLE_CHARS = 160;
const NARRATIVE_CHARS = 2_000;
const FACT_CHARS = 400;
const MAX_FACTS = 10;
const MAX_FILES = 50;
const FIELD_CHARS = 1_500;

/** Why observations were dropped, each by the first thing wrong with it. */
export interface Dropped {
  unknownType: number;
  uncited: number;
  madeUp: number;
  tooMany: number;
}

export type Checked = { memory: TurnMemory; dropped: Dropped } | { problem: string };

export function checkReply(reply: unknown, evidence: TurnEvidence, record: TurnRecord): Checked {
  const answer = asObject(reply);
  const rawSummary = asObject(answer?.["summary"]);
  if (answer === undefined || !Array.isArray(answer["observations"]))
    return { problem: "it has no list of observations" };
  if (rawSummary === undefined || !isSummary(rawSummary)) return { problem: "it has no summary" };
  const dropped: Dropped = { unknownType: 0, uncited: 0, madeUp: 0, tooMany: 0 };
  const everything = everyWord(evidence);
  const observations: Observation[] = [];
  for (const raw of asObjects(answer["observations"])) {
    const checked = checkObservation(raw, evidence, record.ids, everything);
    if (typeof checked === "string") dropped[checked] += 1;
    else if (observations.length === MAX_OBSERVATIONS) dropped.tooMany += 1;
    else observations.push(checked);
  }
  if (observations.length === 0 && Object.values(dropped).some((count) => count > 0)) {
    return { problem: "no observation cites ids of the record and keeps to what is in it" };
  }
  if (observations.length === 0 && hasChanges(evidence)) return { problem: "it says nothing of what was changed" };
  return { memory: { observations, summary: summaryOf(rawSummary, observations, evidence, record) }, dropped };
}

function checkObservation(
  raw: JsonObject,
  evidence: TurnEvidence,
  ids: ReadonlySet<string>,
  everything: string,
): Observation | keyof Dropped {
  const type = OBSERVATION_TYPES.find((known) => known === raw["type"]);
  const title = line(raw["title"], TITLE_CHARS);
  const narrative = lines(raw["narrative"], NARRATIVE_CHARS);
  if (type === undefined || title === "") return "unknownType";
  const cited = citedIds(raw["evidence"], ids);
  if (cited.length === 0) return "uncited";
  const facts = asArray(raw["facts"])
    .map((fact) => line(fact, FACT_CHARS))
    .filter((fact) => fact !== "");
  if (!isGrounded([title, narrative, ...facts].join("\n"), everything)) return "madeUp";
  // What a tool printed decides nothing, whoever it is put in the mouth of.
  if (type === "decision" && sharedWords(title, talkOf(evidence)) < TALK_SHARE) return "madeUp";
  const subtitle = line(raw["subtitle"], TITLE_CHARS);
  return {
    type,
    title,
    ...(subtitle !== "" && { subtitle }),
    narrative: narrative || title,
    facts: facts.slice(0, MAX_FACTS),
    concepts: CONCEPTS.filter((concept: Concept) => asArray(raw["concepts"]).includes(concept)),
    files: knownFiles(raw["files"], evidence),
    evidence: cited,
    origin: originOf(cited, `${title}\n${narrative}`, evidence),
  };
}

function citedIds(raw: unknown, ids: ReadonlySet<string>): string[] {
  const cited = asArray(raw).filter((id): id is string => typeof id === "string" && ids.has(id));
  return [...new Set(cited)];
}

/** As the record writes them: a path the turn never touched is not one of its files. */
function knownFiles(raw: unknown, evidence: TurnEvidence): string[] {
  const touched = new Set(evidence.toolUses.flatMap((use) => use.files.map((file) => file.path)));
  const named = asArray(raw).map((path) => asString(path) ?? "");
  const found = named.map((path) => (touched.has(path) ? path : [...touched].find((known) => endsAlike(path, known))));
  return [...new Set(found)].filter((path) => path !== undefined).slice(0, MAX_FILES);
}

function endsAlike(named: string, known: string): boolean {
  return named !== "" && (named.endsWith(`/${known}`) || known.endsWith(`/${named}`));
}

/** Share of a decision's words that somebody must have said. */
const TALK_SHARE = 0.4;
/** The same for what is told as the user's own words. */
const USER_SHARE = 0.6;

function talkOf({ prompt, messages }: TurnEvidence): string {
  return [prompt.text, prompt.response, ...messages.map((message) => message.text)].join("\n");
}

/** Whose words it rests on: of several the least to be trusted. What the agent wrote into files is its own word. */
function originOf(cited: readonly string[], claim: string, evidence: TurnEvidence): Origin {
  const uses = evidence.toolUses.filter((use) => cited.includes(use.id));
  if (uses.some((use) => use.files.every((file) => file.kind === "read"))) return "tool";
  const isAllAsked = cited.every((id) => id.startsWith("p"));
  const isTheirs = isAllAsked && isCovered(evidence) && sharedWords(claim, evidence.prompt.text) >= USER_SHARE;
  return isTheirs ? "user" : "assistant";
}

const SUMMARY_FIELDS = ["request", "investigated", "learned", "completed"];

function isSummary(raw: JsonObject): boolean {
  return SUMMARY_FIELDS.some((name) => line(raw[name], FIELD_CHARS) !== "");
}

function summaryOf(
  raw: JsonObject,
  observations: readonly Observation[],
  evidence: TurnEvidence,
  record: TurnRecord,
): Summary {
  const cited = citedIds(raw["evidence"], record.ids);
  const files = (isWanted: (kind: string) => boolean): string[] => [
    ...new Set(
      evidence.toolUses.flatMap((use) => use.files.filter((file) => isWanted(file.kind)).map((file) => file.path)),
    ),
  ];
  return {
    request: lines(raw["request"], FIELD_CHARS),
    investigated: lines(raw["investigated"], FIELD_CHARS),
    learned: lines(raw["learned"], FIELD_CHARS),
    completed: lines(raw["completed"], FIELD_CHARS),
    nextSteps: lines(raw["next_steps"], FIELD_CHARS),
    // Known, not guessed.
    filesRead: files((kind) => kind === "read"),
    filesEdited: files((kind) => kind !== "read"),
    notes: lines(raw["notes"], FIELD_CHARS),
    evidence:
      cited.length > 0 ? cited : [...new Set([evidence.prompt.id, ...observations.flatMap((one) => one.evidence)])],
  };
}

function hasChanges(evidence: TurnEvidence): boolean {
  return evidence.toolUses.some((use) => use.files.some((file) => file.kind !== "read"));
}

/** The whole of the turn, also what was cut for the model: it may name a file it saw only half of. */
function everyWord({ prompt, messages, toolUses, commits, project }: TurnEvidence): string {
  return [
    project,
    prompt.text,
    prompt.response,
    ...messages.map((message) => message.text),
    ...toolUses.flatMap((use) => [
      use.name,
      JSON.stringify(use.input),
      use.output,
      String(use.exitCode ?? ""),
      ...use.files.map((file) => `${file.path} +${file.added ?? 0} -${file.removed ?? 0}`),
    ]),
    ...commits.map((commit) => `${commit.sha} ${commit.subject}`),
  ]
    .join("\n")
    .toLowerCase();
}

/** A model may repeat what it should not, or make something up that looks like it: the filter sees its words as well. */
function line(value: unknown, maxChars: number): string {
  return oneLine(filterText(asString(value) ?? ""), maxChars);
}

function lines(value: unknown, maxChars: number): string {
  return truncate(plainLines(filterText(asString(value) ?? "")).trim(), maxChars);
}
