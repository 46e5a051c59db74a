// Classifies the sentences of a turn: a linear model over words and position, then one over the neighbours' results.
import { contextFeatures, type Label, LABELS, sentenceFeatures, type SourceTurn, turnFeatures } from "./features.ts";
import { HEADS, type Linear, type SentenceModel, TURN_TYPES } from "./model.ts";

export interface Verdict {
  /** The probability of each label. */
  chances: Record<Label, number>;
  /** The probability that the sentence helps a later session: at least somewhat, and clearly. */
  isUseful: number;
  isClearlyUseful: number;
  /** The probability that it is a useful decision, finding, result or open end. */
  isWorthRecording: number;
  /** The probability that it is the one line that tells best what the turn came to. */
  isHeadline: number;
}

export function classifySentences(model: SentenceModel, turn: SourceTurn): Verdict[] {
  const first = sentenceFeatures(turn).map((features) => linear(model.sentences, LABELS.length, features));
  const [labels, useful, worth, headline] = model.context as [Float32Array, Float32Array, Float32Array, Float32Array];
  return contextFeatures(turn, first).map((features) => {
    const chances = dense(labels, HEADS[0], features);
    const [, somewhat = 0, clearly = 0] = dense(useful, HEADS[1], features);
    const [, isWorthRecording = 0] = dense(worth, HEADS[2], features);
    const [, isHeadline = 0] = dense(headline, HEADS[3], features);
    return {
      chances: Object.fromEntries(LABELS.map((label, index) => [label, chances[index]])) as Verdict["chances"],
      isUseful: somewhat + clearly,
      isClearlyUseful: clearly,
      isWorthRecording,
      isHeadline,
    };
  });
}

/** The probability of each type of turn. */
export function classifyTurn(model: SentenceModel, turn: SourceTurn): Record<(typeof TURN_TYPES)[number], number> {
  const chances = linear(model.turns, TURN_TYPES.length, turnFeatures(turn));
  return Object.fromEntries(TURN_TYPES.map((type, index) => [type, chances[index]])) as Record<
    (typeof TURN_TYPES)[number],
    number
  >;
}

/** So that a long sentence with many features is not more certain than a short one. */
export function featureWeight(features: number): number {
  return 4 / Math.sqrt(Math.max(1, features));
}

function linear({ scales, weights }: Linear, outputs: number, features: readonly number[]): number[] {
  const buckets = weights.length / outputs;
  const weight = featureWeight(features.length);
  return softmax(
    Array.from({ length: outputs }, (_, output) => {
      let sum = 0;
      for (const feature of features) sum += weights[output * buckets + feature] as number;
      return sum * weight * (scales[output] as number);
    }),
  );
}

function dense(weights: Float32Array, outputs: number, features: readonly number[]): number[] {
  return softmax(
    Array.from({ length: outputs }, (_, output) => {
      let sum = 0;
      for (const [index, value] of features.entries())
        sum += value * (weights[output * features.length + index] as number);
      return sum;
    }),
  );
}

export function softmax(scores: readonly number[]): number[] {
  const top = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - top));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}
