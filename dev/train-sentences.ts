// Trains the sentence classifier on labelled turns and writes its weights and figures.
//   node dev/train-sentences.ts [--labels FILE]              all projects, plus docs/sentence-model.md
//   node dev/train-sentences.ts --without PROJECT --out FILE  without one project, to measure on it
// Softmax regression with AdaGrad, dropout and averaged weights. The same labels always give the same file.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  classifySentences,
  classifyTurn,
  featureWeight,
  softmax,
  type Verdict,
} from "../src/memory/sentences/classify.ts";
import {
  contextFeatures,
  type Label,
  LABELS,
  SENTENCE_BUCKETS,
  sentenceFeatures,
  type SourceSentence,
  type SourceTurn,
  TURN_BUCKETS,
  turnFeatures,
} from "../src/memory/sentences/features.ts";
import {
  CONTEXT_SIZE,
  HEADS,
  type Linear,
  type SentenceModel,
  TURN_TYPES,
  writeModel,
} from "../src/memory/sentences/model.ts";

interface LabelledTurn extends SourceTurn {
  repo: string;
  session: string;
  type: (typeof TURN_TYPES)[number];
  /** The index of the sentence that tells best what the turn came to, or -1. */
  headline: number;
  sentences: (SourceSentence & { label: Label; useful: 0 | 1 | 2 })[];
}

interface Example {
  features: readonly number[];
  output: number;
}

const EPOCHS = { sentences: 8, turns: 14, context: 20 };
const RATE = { sentences: 0.02, turns: 0.03, context: 0.05 };
const DROPPED_SHARE = 0.3;
/** A feature of one example only would be learned by heart. */
const MIN_EXAMPLES = 2;
const FOLDS = 5;

const { values: args } = parseArgs({
  options: {
    labels: { type: "string", default: "../shared/data/labels/turns.jsonl" },
    without: { type: "string" },
    out: { type: "string", default: "plugin/sentence-model.bin" },
  },
});
const turns = readTurns(args.labels);
const training = turns.filter(({ repo }) => repo !== args.without);
if (training.length === 0 || (args.without !== undefined && training.length === turns.length))
  throw new Error(`No project named ${args.without} in ${args.labels}`);
if (args.without === undefined) writeFileSync("docs/sentence-model.md", report(turns));
writeFileSync(args.out, writeModel(train(training)));

function readTurns(path: string): LabelledTurn[] {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => {
    const { repo, session, type, headline, prompt, next_prompt, changed_files, sentences } = JSON.parse(line);
    const nextPrompt = next_prompt === "(session ends here)" ? undefined : next_prompt;
    return { repo, session, type, headline, prompt, nextPrompt, changedFiles: changed_files, sentences };
  });
}

function train(labelled: readonly LabelledTurn[]): SentenceModel {
  const sentences = trainLinear(labelled.flatMap(sentenceExamples), {
    outputs: LABELS.length,
    buckets: SENTENCE_BUCKETS,
    epochs: EPOCHS.sentences,
    rate: RATE.sentences,
  });
  const typed = labelled.map((turn) => ({ features: turnFeatures(turn), output: TURN_TYPES.indexOf(turn.type) }));
  return {
    sentences: quantise(sentences),
    turns: quantise(
      trainLinear(typed, {
        outputs: TURN_TYPES.length,
        buckets: TURN_BUCKETS,
        epochs: EPOCHS.turns,
        rate: RATE.turns,
      }),
    ),
    context: trainContext(labelled),
  };
}

function sentenceExamples(turn: LabelledTurn): Example[] {
  const features = sentenceFeatures(turn);
  return turn.sentences.map(({ label }, index) => ({
    features: features[index] ?? [],
    output: LABELS.indexOf(label),
  }));
}

/** The second step learns from probabilities for sentences that the first step was not trained on. */
function trainContext(labelled: readonly LabelledTurn[]): Float32Array[] {
  const examples: { features: number[]; outputs: number[] }[] = [];
  const foldOf = ({ session }: LabelledTurn): number => parseInt(session.replace(/\W/g, "").slice(0, 6), 36) % FOLDS;
  for (let fold = 0; fold < FOLDS; fold++) {
    const known = labelled.filter((turn) => foldOf(turn) !== fold).flatMap(sentenceExamples);
    const weights = trainLinear(known, {
      outputs: LABELS.length,
      buckets: SENTENCE_BUCKETS,
      epochs: EPOCHS.sentences,
      rate: RATE.sentences,
    });
    for (const turn of labelled.filter((one) => foldOf(one) === fold)) {
      const chances = sentenceFeatures(turn).map((features) => predict(weights, features));
      for (const [index, features] of contextFeatures(turn, chances).entries()) {
        const { label, useful } = turn.sentences[index] as LabelledTurn["sentences"][number];
        const isWorthRecording = useful > 0 && ["D", "F", "W", "N"].includes(label);
        examples.push({
          features,
          outputs: [LABELS.indexOf(label), useful, Number(isWorthRecording), Number(index === turn.headline)],
        });
      }
    }
  }
  return HEADS.map((outputs, head) =>
    trainDense(
      examples.map(({ features, outputs: all }) => ({ features, output: all[head] ?? 0 })),
      outputs,
    ),
  );
}

interface Size {
  outputs: number;
  buckets: number;
  epochs: number;
  rate: number;
}

function trainLinear(examples: readonly Example[], { outputs, buckets, epochs, rate }: Size): Float32Array[] {
  const counts = new Uint32Array(buckets);
  for (const { features } of examples) for (const feature of features) counts[feature] = (counts[feature] ?? 0) + 1;
  const rows = (): Float32Array[] => Array.from({ length: outputs }, () => new Float32Array(buckets));
  const [weights, mean] = [rows(), rows()];
  const squares = rows().map((row) => row.fill(1e-4));
  const random = randomNumbers(7);
  let averaged = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const { features, output } of shuffled(examples, random)) {
      const kept = features.filter((feature) => (counts[feature] ?? 0) >= MIN_EXAMPLES && random() > DROPPED_SHARE);
      const weight = featureWeight(features.length);
      const scores = weights.map(
        (row) => (kept.reduce((sum, feature) => sum + (row[feature] as number), 0) * weight) / (1 - DROPPED_SHARE),
      );
      for (const [index, chance] of softmax(scores).entries()) {
        const gradient = (chance - Number(index === output)) * weight;
        const [row, square] = [weights[index] as Float32Array, squares[index] as Float32Array];
        for (const feature of kept) {
          square[feature] = (square[feature] as number) + gradient * gradient;
          row[feature] = (row[feature] as number) - (rate * gradient) / Math.sqrt(square[feature] as number);
        }
      }
    }
    if (epoch < epochs / 2) continue;
    averaged += 1;
    for (const [index, row] of mean.entries())
      for (const [feature, value] of (weights[index] as Float32Array).entries())
        row[feature] = (row[feature] as number) + value;
  }
  for (const row of mean) for (const [feature, value] of row.entries()) row[feature] = value / averaged;
  return mean;
}

function trainDense(examples: readonly Example[], outputs: number): Float32Array {
  const weights = new Float64Array(outputs * CONTEXT_SIZE);
  const squares = new Float64Array(outputs * CONTEXT_SIZE).fill(1e-3);
  const random = randomNumbers(3);
  for (let epoch = 0; epoch < EPOCHS.context; epoch++) {
    for (const { features, output } of shuffled(examples, random)) {
      if (features.length !== CONTEXT_SIZE) throw new Error(`CONTEXT_SIZE must be ${features.length}`);
      const scores = Array.from({ length: outputs }, (_, row) =>
        features.reduce((sum, value, index) => sum + value * (weights[row * CONTEXT_SIZE + index] as number), 0),
      );
      for (const [row, chance] of softmax(scores).entries()) {
        for (const [index, value] of features.entries()) {
          const place = row * CONTEXT_SIZE + index;
          const gradient = (chance - Number(row === output)) * value + 1e-3 * (weights[place] as number);
          squares[place] = (squares[place] as number) + gradient * gradient;
          weights[place] = (weights[place] as number) - (RATE.context * gradient) / Math.sqrt(squares[place] as number);
        }
      }
    }
  }
  return Float32Array.from(weights);
}

function predict(weights: readonly Float32Array[], features: readonly number[]): number[] {
  const weight = featureWeight(features.length);
  return softmax(weights.map((row) => features.reduce((sum, feature) => sum + (row[feature] as number), 0) * weight));
}

function quantise(rows: readonly Float32Array[]): Linear {
  const scales = rows.map((row) => row.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9) / 127);
  const weights = new Int8Array(rows.reduce((sum, row) => sum + row.length, 0));
  for (const [index, row] of rows.entries())
    for (const [feature, value] of row.entries())
      weights[index * row.length + feature] = Math.round(value / (scales[index] as number));
  return { scales: Float32Array.from(scales), weights };
}

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

/** Trains without each project in turn and measures on it. */
function report(labelled: readonly LabelledTurn[]): string {
  const judged: { sentence: LabelledTurn["sentences"][number]; verdict: Verdict }[] = [];
  const rows: string[] = [];
  let typesRight = 0;
  for (const repo of new Set(labelled.map((turn) => turn.repo))) {
    const model = train(labelled.filter((turn) => turn.repo !== repo));
    const own = labelled.filter((turn) => turn.repo === repo);
    const before = judged.length;
    let types = 0;
    for (const turn of own) {
      const verdicts = classifySentences(model, turn);
      for (const [index, verdict] of verdicts.entries())
        judged.push({ sentence: turn.sentences[index] as (typeof turn.sentences)[number], verdict });
      const chances = Object.entries(classifyTurn(model, turn)).sort(([, a], [, b]) => b - a);
      if (chances[0]?.[0] === turn.type) types += 1;
    }
    typesRight += types;
    const part = judged.slice(before);
    const right = part.filter(isRight).length;
    rows.push(`| ${repo} | ${part.length} | ${percent(right, part.length)} | ${percent(types, own.length)} |`);
  }
  const all = [judged.filter(isRight).length, judged.length] as const;
  rows.push(`| all | ${all[1]} | ${percent(...all)} | ${percent(typesRight, labelled.length)} |`);
  const lists = [
    ["result (W)", ({ chances }: Verdict) => chances.W, ({ label }: Judged) => label === "W"],
    ["finding (F)", ({ chances }: Verdict) => chances.F, ({ label }: Judged) => label === "F"],
    ["open end (N)", ({ chances }: Verdict) => chances.N, ({ label }: Judged) => label === "N"],
    ["decision (D)", ({ chances }: Verdict) => chances.D, ({ label }: Judged) => label === "D"],
    [
      "useful D, F, W or N",
      ({ isWorthRecording }: Verdict) => isWorthRecording,
      ({ label, useful }: Judged) => useful > 0 && ["D", "F", "W", "N"].includes(label),
    ],
  ] as const;
  const recalls = [0.1, 0.2, 0.35, 0.5, 0.65];
  const precision = lists.map(([name, scoreOf, isOne]) => {
    const ranked = judged
      .map(({ sentence, verdict }) => ({ score: scoreOf(verdict), isOne: isOne(sentence) }))
      .sort((a, b) => b.score - a.score);
    return `| ${name} | ${recalls.map((recall) => precisionAt(ranked, recall)).join(" | ")} |`;
  });
  return [
    "# The sentence classifier",
    "",
    "Memory is derived from sentences. A small linear model decides whether a sentence is a result (W), a finding (F),",
    "an open end (N), a decision (D), an offer, a request, a status, a quotation or something else, whether it helps a",
    "later session, and what type of work a turn was. `src/memory/sentences` has the features and the model,",
    "`dev/train-sentences.ts` trains it. The weights are in `plugin/sentence-model.bin`; the labelled sentences are not",
    "part of the project. `C_MEM_SENTENCE_MODEL=<file>` loads other weights.",
    "",
    "This page is written by the training. Each project is measured with weights trained without it.",
    "",
    "| project | sentences | label right | type of turn right |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
    "Precision when this share of the sentences of a kind is found:",
    "",
    `| | ${recalls.map((recall) => `${recall * 100}%`).join(" | ")} |`,
    `| --- |${recalls.map(() => " --- |").join("")}`,
    ...precision,
    "",
  ].join("\n");
}

type Judged = Pick<LabelledTurn["sentences"][number], "label" | "useful">;

function isRight({ sentence, verdict }: { sentence: Judged; verdict: Verdict }): boolean {
  const [best] = Object.entries(verdict.chances).sort(([, a], [, b]) => b - a);
  return best?.[0] === sentence.label;
}

function precisionAt(ranked: readonly { isOne: boolean }[], recall: number): string {
  const wanted = ranked.filter(({ isOne }) => isOne).length * recall;
  let found = 0;
  for (const [index, { isOne }] of ranked.entries()) if (isOne && ++found >= wanted) return percent(found, index + 1);
  return "-";
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)}%`;
}
