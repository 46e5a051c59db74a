// Checks a model's reply. Drops observations of an unknown type, those that cite no item of the turn, and those whose
// names and numbers are mostly not in the turn.
import { asArray, asObject, asObjects, asString, type JsonObject } from "../../core/json.ts";
import {
  CONCEPTS,
  type Observation,
  OBSERVATION_TYPES,
  type Origin,
  type Summary,
  type TurnMemory,
} from "../../core/memory.ts";
import { filterText } from "../../core/privacy/filter.ts";
import { oneLine, plainLines, truncate } from "../../core/text.ts";
import { STOP_WORDS, wordsOf } from "../../core/words.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { isChange, isResponseInMessages, type TurnRecord } from "./turn-record.ts";

const MAX_OBSERVATIONS = 12;
const TITLE_CHARS = 160;
const NARRATIVE_CHARS = 2_000;
const FACT_CHARS = 400;
const MAX_FACTS = 10;
const MAX_FILES = 50;
const FIELD_CHARS = 1_500;

export function checkReply(
  reply: unknown,
  evidence: TurnEvidence,
  record: TurnRecord,
): { memory: TurnMemory } | { problem: string } {
  const answer = asObject(reply);
  if (!Array.isArray(answer?.["observations"])) return { problem: "it has no list of observations" };
  const summary = readSummary(asObject(answer["summary"]));
  if (summary === undefined) return { problem: "it has no summary" };
  const turnText = textOfTurn(evidence);
  const given = asObjects(answer["observations"]);
  const observations = given
    .map((raw) => checkObservation(raw, evidence, record.ids, turnText))
    .filter((one) => one !== undefined)
    .slice(0, MAX_OBSERVATIONS);
  if (observations.length === 0 && given.length > 0) {
    return { problem: "no observation cites ids of the record and keeps to what is in it" };
  }
  if (observations.length === 0 && evidence.toolUses.some(isChange)) {
    return { problem: "it does not say what was changed" };
  }
  const cited = citedIds(asObject(answer["summary"])?.["evidence"], record.ids);
  const ids = [...new Set([evidence.prompt.id, ...observations.flatMap((one) => one.evidence)])];
  const filesRead = filesOf(evidence, (kind) => kind === "read");
  const filesEdited = filesOf(evidence, (kind) => kind !== "read");
  return {
    memory: {
      observations,
      summary: { ...summary, filesRead, filesEdited, evidence: cited.length > 0 ? cited : ids },
    },
  };
}

function checkObservation(
  raw: JsonObject,
  evidence: TurnEvidence,
  ids: ReadonlySet<string>,
  turnText: string,
): Observation | undefined {
  const type = OBSERVATION_TYPES.find((known) => known === raw["type"]);
  const title = line(raw["title"], TITLE_CHARS);
  const subtitle = line(raw["subtitle"], TITLE_CHARS);
  const narrative = lines(raw["narrative"], NARRATIVE_CHARS);
  const facts = asArray(raw["facts"])
    .map((fact) => line(fact, FACT_CHARS))
    .filter((fact) => fact !== "");
  if (type === undefined || title === "") return undefined;
  const cited = citedIds(raw["evidence"], ids);
  if (cited.length === 0) return undefined;
  if (!isGrounded([title, narrative, ...facts].join("\n"), turnText)) return undefined;
  // Decisions come from the user or the agent, never from tool output.
  if (type === "decision" && sharedWords(title, conversationOf(evidence)) < DECISION_SHARE) return undefined;
  return {
    type,
    title,
    ...(subtitle !== "" && { subtitle }),
    narrative: narrative || title,
    facts: facts.slice(0, MAX_FACTS),
    concepts: CONCEPTS.filter((concept) => asArray(raw["concepts"]).includes(concept)),
    files: touchedFiles(raw["files"], evidence),
    evidence: cited,
    origin: originOf(cited, `${title}\n${narrative}`, evidence),
  };
}

function citedIds(raw: unknown, ids: ReadonlySet<string>): string[] {
  const cited = asArray(raw).filter((id): id is string => typeof id === "string" && ids.has(id));
  return [...new Set(cited)];
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

/** At least this share of the words in a decision's title must occur in the conversation. */
const DECISION_SHARE = 0.4;
/** Of the observations that cite only the prompt, those with this share of their words in it get the origin `user`. */
const USER_SHARE = 0.6;

function conversationOf({ prompt, messages }: TurnEvidence): string {
  return [prompt.text, prompt.response, ...messages.map((message) => message.text)].join("\n");
}

/** The least trusted cited item decides the origin: tool output, the agent (also its edits), the user. */
function originOf(cited: readonly string[], claim: string, evidence: TurnEvidence): Origin {
  if (evidence.toolUses.some((use) => cited.includes(use.id) && !isChange(use))) return "tool";
  const isPromptOnly = cited.every((id) => id.startsWith("p")) && isResponseInMessages(evidence);
  return isPromptOnly && sharedWords(claim, evidence.prompt.text) >= USER_SHARE ? "user" : "assistant";
}

function readSummary(raw: JsonObject = {}): Omit<Summary, "filesRead" | "filesEdited" | "evidence"> | undefined {
  const field = (name: string): string => lines(raw[name], FIELD_CHARS);
  const [request, investigated] = [field("request"), field("investigated")];
  const [learned, completed] = [field("learned"), field("completed")];
  if ([request, investigated, learned, completed].every((text) => text === "")) return undefined;
  return { request, investigated, learned, completed, nextSteps: field("next_steps"), notes: field("notes") };
}

/** The turn's full text, not the shortened record: a model may guess the rest of a path that was cut. */
function textOfTurn({ prompt, messages, toolUses, commits, project }: TurnEvidence): string {
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

/** Names, paths and numbers: `parseLine`, `max_age`, `src/a.ts`, `8080`. */
const SPECIFIC = /[\p{L}\d_./@-]*(?:[\p{Ll}][\p{Lu}]|[_/\d]|[\p{L}\d]\.[\p{L}\d])[\p{L}\d_./@-]*/gu;
const MIN_CHARS = 3;
/** A claim with one name is not checked: the turn may only spell the name in another way. */
const MIN_SPECIFICS = 2;
const GROUNDED_SHARE = 0.5;

/** True if the claim has fewer than two names and numbers, or if at least half of them are in the lower-case text. */
export function isGrounded(claim: string, turnText: string): boolean {
  const names = [...claim.matchAll(SPECIFIC)].map(([word]) => word.toLowerCase().replace(/^[./@-]+|[./@-]+$/g, ""));
  const specifics = [...new Set(names)].filter((name) => name.length >= MIN_CHARS);
  if (specifics.length < MIN_SPECIFICS) return true;
  return specifics.filter((name) => turnText.includes(name)).length / specifics.length >= GROUNDED_SHARE;
}

/** The share (0 to 1) of the claim's words, without stop words, that occur in the text. */
function sharedWords(claim: string, text: string): number {
  const known = new Set(wordsOf(text.toLowerCase()));
  const words = [...new Set(wordsOf(claim.toLowerCase()))].filter(
    (word) => word.length >= MIN_CHARS && !STOP_WORDS.has(word),
  );
  return words.length === 0 ? 0 : words.filter((word) => known.has(word)).length / words.length;
}

/** Filters secrets: a model may repeat one, or invent text that looks like one. */
function line(value: unknown, maxChars: number): string {
  return oneLine(filterText(asString(value) ?? ""), maxChars);
}

function lines(value: unknown, maxChars: number): string {
  return truncate(plainLines(filterText(asString(value) ?? "")).trim(), maxChars);
}
