// The built-in extractor: derives observations and a summary from a turn's evidence, without a model. The same evidence
// always gives the same memory. sentences.ts splits texts into sentences, judge.ts classifies them, the other files
// build observations, and ../save-turn.ts stores them.
import type { Observation, TurnMemory } from "../../core/memory.ts";
import { SAME_TEXT, wordOverlap } from "../../core/similarity.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { answeredQuestion } from "./answered-question.ts";
import { changesOf } from "./changes.ts";
import { runOf } from "./commands.ts";
import { findDeliveries } from "./deliveries.ts";
import { findFixes, fixObservation } from "./failures.ts";
import { type FinalMessage, readFinalMessage } from "./final-message.ts";
import { changedSettings, settingObservations } from "./settings.ts";
import {
  assistantDecisions,
  decisionObservation,
  discoveryObservation,
  findDiscoveries,
  rulesObservation,
  userRules,
} from "./statements.ts";
import { summarise } from "./summarise.ts";
import { lastTestResult, testObservation } from "./test-results.ts";
import { userChoices } from "./user-choices.ts";
import { readUserRequest } from "./user-request.ts";
import { workObservation } from "./work.ts";

const MAX_FIXES = 2;
const MAX_DISCOVERIES = 2;
/** Discoveries with a lower score only go into the summary. */
const MIN_DISCOVERY_SCORE = 3;

export function extractTurn(evidence: TurnEvidence): TurnMemory {
  const turn = parseTurn(evidence);
  const observations = observe(turn);
  return { observations, summary: summarise(turn, observations) };
}

export type ParsedTurn = ReturnType<typeof parseTurn>;

function parseTurn(evidence: TurnEvidence) {
  const request = readUserRequest(evidence.prompt.text);
  const final = readFinalMessage(evidence);
  const runs = evidence.toolUses.map(runOf).filter((run) => run !== undefined);
  return {
    evidence,
    request,
    final,
    changes: changesOf(evidence),
    runs,
    deliveries: findDeliveries(evidence, runs),
    testResult: lastTestResult(runs),
    rules: userRules(evidence, request),
    discoveries: findDiscoveries(evidence, final),
  };
}

/** By priority: of two similar observations the first one's text is kept; at most 4. */
function observe(turn: ParsedTurn): Observation[] {
  const { evidence, request, final, runs, rules, discoveries, changes, testResult } = turn;
  const work = workObservation(turn);
  const settings = settingObservations(changedSettings(evidence, runs));
  const settingFiles = new Set(settings.flatMap(({ files }) => files));
  const isOnlySettings =
    settings.length > 0 && changes.files.length > 0 && changes.files.every(({ path }) => settingFiles.has(path));
  const fixes = findFixes(evidence, runs)
    .slice(-MAX_FIXES)
    .map((fix) => fixObservation(fix, discoveries, evidence));
  const isInFix = (text: string): boolean => fixes.some(({ narrative }) => narrative.includes(text));
  const found = discoveries.filter(({ text, score }) => score >= MIN_DISCOVERY_SCORE && !isInFix(text));
  return mergeAlike(
    [
      ...(isOnlySettings ? settings.map((setting) => withHeadline(setting, final)) : [work]),
      rulesObservation(rules),
      ...userChoices(evidence),
      ...fixes,
      ...found.slice(0, MAX_DISCOVERIES).map(discoveryObservation),
      ...(isOnlySettings ? [] : settings),
      ...assistantDecisions(final).slice(0, 1).map(decisionObservation),
      work === undefined ? answeredQuestion(evidence, request, final) : undefined,
      testObservation(testResult, changes),
    ].filter((one) => one !== undefined),
  );
}

/** Puts the agent's headline before a changed setting, because the headline says why it changed. */
function withHeadline(setting: Observation, { headline, id }: FinalMessage): Observation {
  if (headline === "") return setting;
  const narrative = `${headline} ${setting.narrative}`;
  return { ...setting, narrative, evidence: [...setting.evidence, id], origin: "assistant" };
}

const MAX_OBSERVATIONS = 4;
const MAX_FACTS = 8;
const NEARLY_EQUAL = 0.9;

function mergeAlike(observations: readonly Observation[]): Observation[] {
  const merged: Observation[] = [];
  for (const one of observations) {
    const index = merged.findIndex((other) => areAlike(other, one));
    if (index < 0) merged.push(one);
    else merged[index] = merge(merged[index] as Observation, one);
  }
  return merged.slice(0, MAX_OBSERVATIONS);
}

function areAlike(a: Observation, b: Observation): boolean {
  if (a.subject !== undefined && b.subject !== undefined) return a.subject === b.subject;
  // Merging copies the subject, and the merged one then supersedes others: require 90% overlap.
  const minimum = a.subject === b.subject ? SAME_TEXT : NEARLY_EQUAL;
  return wordOverlap(a.title, b.title) >= minimum || wordOverlap(a.title, b.narrative) >= NEARLY_EQUAL;
}

function merge(a: Observation, b: Observation): Observation {
  const union = <T>(x: readonly T[], y: readonly T[]): T[] => [...new Set([...x, ...y])];
  const extra = wordOverlap(b.narrative, a.narrative) < SAME_TEXT ? [b.narrative] : [];
  const subject = a.subject ?? b.subject;
  return {
    ...a,
    facts: union([...a.facts, ...extra], b.facts).slice(0, MAX_FACTS),
    concepts: union(a.concepts, b.concepts),
    files: union(a.files, b.files),
    evidence: union(a.evidence, b.evidence),
    ...(subject !== undefined && { subject }),
  };
}
