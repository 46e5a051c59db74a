// A turn's evidence made into memory, without a model: pure, so that the same evidence always gives the same memory.
import type { Concept, Observation, TurnMemory } from "../../core/memory.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { type Ask, readAsk } from "./ask.ts";
import { type Changes, changesOf } from "./changes.ts";
import { choiceObservations } from "./choices.ts";
import { type Run, runOf } from "./commands.ts";
import { fixesOf, fixObservation } from "./fixes.ts";
import { mergeAlike } from "./merge.ts";
import { answerObservation } from "./replies.ts";
import { settingObservations, settingsOf } from "./settings.ts";
import {
  assistantDecisions,
  choiceSubject,
  discoveries,
  rulesObservation,
  type Statement,
  statementTitle,
  userRules,
} from "./statements.ts";
import { summarise } from "./summarise.ts";
import { testObservation } from "./test-state.ts";
import { workObservation } from "./work.ts";

/** All that was read out of one turn, for the observations and for the summary. */
export interface Reading {
  evidence: TurnEvidence;
  ask: Ask;
  answer: Answer;
  changes: Changes;
  runs: Run[];
  rules: Statement[];
  found: Statement[];
}

const MAX_FIXES = 2;
const MAX_FOUND = 2;

export function extractTurn(evidence: TurnEvidence): TurnMemory {
  const ask = readAsk(evidence.prompt.text);
  const answer = readAnswer(evidence);
  const reading: Reading = {
    evidence,
    ask,
    answer,
    changes: changesOf(evidence),
    runs: evidence.toolUses.map(runOf).filter((run) => run !== undefined),
    rules: userRules(evidence, ask),
    found: discoveries(evidence, answer),
  };
  const observations = observe(reading);
  return { observations, summary: summarise(reading, observations) };
}

function observe(reading: Reading): Observation[] {
  const { evidence, ask, answer, runs, rules, found, changes } = reading;
  const settings = settingObservations(settingsOf(evidence, runs));
  const fixes = fixesOf(evidence, runs)
    .slice(-MAX_FIXES)
    .map((fix) => fixObservation(fix, found, evidence));
  const causes = new Set(fixes.map(({ narrative }) => narrative));
  const news = found
    .filter(({ text, score }) => score >= 3 && ![...causes].some((narrative) => narrative.includes(text)))
    .slice(0, MAX_FOUND)
    .map(foundObservation);
  const covered = new Set(settings.flatMap(({ files }) => files));
  const isSettingsOnly =
    settings.length > 0 && changes.files.length > 0 && changes.files.every(({ path }) => covered.has(path));
  const work = workObservation(evidence, reading);
  return mergeAlike(
    [
      ...(isSettingsOnly ? settings.map((one) => withWords(one, answer)) : [work]),
      rulesObservation(rules),
      ...choiceObservations(evidence),
      ...fixes,
      ...news,
      ...(isSettingsOnly ? [] : settings),
      ...assistantDecisions(answer).slice(0, 1).map(decisionObservation),
      work === undefined ? answerObservation(evidence, ask, answer) : undefined,
      testObservation(runs, changes),
    ].filter((one) => one !== undefined),
  );
}

function foundObservation({ text, id }: Statement): Observation {
  const concepts: Concept[] = /root cause|caused by|fail|bug|issue|problem|wrong/i.test(text)
    ? ["gotcha"]
    : ["how-it-works"];
  return {
    type: "discovery",
    title: statementTitle(text),
    narrative: text,
    facts: [],
    concepts,
    files: [],
    evidence: [id],
    origin: "assistant",
  };
}

function decisionObservation({ text, id }: Statement): Observation {
  const subject = choiceSubject(text);
  return {
    type: "decision",
    title: statementTitle(text),
    narrative: text,
    facts: [],
    concepts: ["trade-off"],
    files: [],
    evidence: [id],
    origin: "assistant",
    ...(subject !== undefined && { subject }),
  };
}

/** The assistant's own words say why a setting was changed. */
function withWords(setting: Observation, answer: Answer): Observation {
  if (answer.headline === "") return setting;
  return {
    ...setting,
    narrative: `${answer.headline} ${setting.narrative}`,
    evidence: [...setting.evidence, answer.id],
    origin: "assistant",
  };
}
