// The built-in extractor: derives observations and a summary from a turn's evidence, without a model. The same evidence
// always gives the same memory. sentences.ts classifies the texts, the other files build observations, and
// ../save-turn.ts stores them.
import type { Observation, TurnMemory } from "../../core/memory.ts";
import { SAME_TEXT, wordOverlap } from "../../core/similarity.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { changesOf } from "./changes.ts";
import { runOf } from "./commands.ts";
import { decisionsOf } from "./decisions.ts";
import { findDeliveries } from "./deliveries.ts";
import { readSentences } from "./sentences.ts";
import { summarise } from "./summarise.ts";
import { lastTestResult } from "./test-results.ts";
import { turnNote } from "./turn-note.ts";
import { readUserRequest } from "./user-request.ts";

export function extractTurn(evidence: TurnEvidence): TurnMemory {
  const turn = parseTurn(evidence);
  const observations = observe(turn);
  return { observations, summary: summarise(turn, observations) };
}

export type ParsedTurn = ReturnType<typeof parseTurn>;

function parseTurn(evidence: TurnEvidence) {
  const changes = changesOf(evidence);
  const runs = evidence.toolUses.map(runOf).filter((run) => run !== undefined);
  const { blocks, finalId, sentences, type } = readSentences(
    evidence,
    changes.files.map(({ path }) => path),
  );
  return {
    evidence,
    request: readUserRequest(evidence.prompt.text),
    /** Blocks of the agent's last message. */
    blocks,
    finalId,
    sentences,
    likelyType: type,
    changes,
    runs,
    deliveries: findDeliveries(evidence, runs),
    testResult: lastTestResult(runs),
  };
}

const MAX_OBSERVATIONS = 4;

/** The note about the turn comes first, then decisions. */
function observe(turn: ParsedTurn): Observation[] {
  const note = turnNote(turn);
  return withoutRepeats([note, ...decisionsOf(turn)].filter((one) => one !== undefined)).slice(0, MAX_OBSERVATIONS);
}

function withoutRepeats(observations: readonly Observation[]): Observation[] {
  const kept: Observation[] = [];
  for (const one of observations) {
    const isSame = (other: Observation): boolean =>
      one.type === other.type && wordOverlap(one.title, other.title) >= SAME_TEXT;
    if (!kept.some(isSame)) kept.push(one);
  }
  return kept;
}
