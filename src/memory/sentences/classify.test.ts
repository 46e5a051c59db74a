import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { classifySentences, classifyTurn } from "./classify.ts";
import {
  contextFeatures,
  LABELS,
  SENTENCE_BUCKETS,
  sentenceFeatures,
  type SourceTurn,
  turnFeatures,
} from "./features.ts";
import { CONTEXT_SIZE, parseModel, type SentenceModel, sentenceModel, writeModel } from "./model.ts";

const FIXED: SourceTurn = {
  prompt: "The upload of large files fails. Can you fix it?",
  nextPrompt: undefined,
  changedFiles: ["src/upload.ts"],
  sentences: [
    { from: "user", kind: "text", section: "", text: "The upload of large files fails." },
    { from: "user", kind: "text", section: "", text: "Can you fix it?" },
    { from: "agent-mid", kind: "text", section: "", text: "Let me look at the upload code." },
    {
      from: "agent-last",
      kind: "item",
      section: "Changes",
      text: "Replaced `readFile()` by a stream in `src/upload.ts`",
    },
    { from: "agent-last", kind: "item", section: "Changes", text: "Added a test that uploads a file of 3 GB" },
    { from: "agent-last", kind: "text", section: "", text: "Want me to open a pull request?" },
  ],
};
const EXPLAINED: SourceTurn = {
  prompt: "why is the list so slow?",
  nextPrompt: "ok",
  changedFiles: [],
  sentences: [
    { from: "user", kind: "text", section: "", text: "why is the list so slow?" },
    {
      from: "agent-last",
      kind: "text",
      section: "",
      text: "The list is slow because `loadAll()` opens the database file again for every row.",
    },
    {
      from: "agent-last",
      kind: "item",
      section: "",
      text: "The cache in `cache.ts` is never used, because its key contains the current time.",
    },
  ],
};
const labelsOf = (turn: SourceTurn): (string | undefined)[] =>
  classifySentences(committed(), turn).map(({ chances }) => LABELS.toSorted((a, b) => chances[b] - chances[a])[0]);
const committed = (): SentenceModel => sentenceModel() as SentenceModel;

describe("the features", () => {
  it("of the same turn are the same, and fit into the model", () => {
    const features = sentenceFeatures(FIXED);
    expect(sentenceFeatures(structuredClone(FIXED))).toEqual(features);
    expect(features).toHaveLength(FIXED.sentences.length);
    expect(Math.max(...features.flat())).toBeLessThan(SENTENCE_BUCKETS);
    const chances = features.map(() => LABELS.map(() => 1 / LABELS.length));
    for (const row of contextFeatures(FIXED, chances)) expect(row).toHaveLength(CONTEXT_SIZE);
    expect(turnFeatures(structuredClone(FIXED))).toEqual(turnFeatures(FIXED));
  });

  it("do not depend on the names of code, files and numbers", () => {
    const named = (text: string): number[][] =>
      sentenceFeatures({ ...FIXED, sentences: [{ from: "agent-last", kind: "text", section: "", text }] });
    expect(named("`a()` in lib/b.ts failed 3 times")).toEqual(named("`walk()` in e2e/w.ts failed 7 times"));
    expect(named("`a()` in lib/b.ts failed 3 times")).not.toEqual(named("`a()` in lib/b.ts passed 3 times"));
  });
});

describe("the weights in plugin/", () => {
  it("classify clear sentences", () => {
    expect(labelsOf(FIXED)).toEqual(["T", "T", "O", "W", "W", "A"]);
    expect(labelsOf(EXPLAINED).slice(0, 2)).toEqual(["T", "F"]);
  });

  it("give probabilities, the same ones every time", () => {
    const verdicts = classifySentences(committed(), FIXED);
    for (const { chances } of verdicts)
      expect(Object.values(chances).reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1);
    expect(verdicts[3]?.isUseful).toBeGreaterThan(verdicts[2]?.isUseful as number);
    expect(classifySentences(committed(), structuredClone(FIXED))).toEqual(verdicts);
    const [fixed, explained] = [FIXED, EXPLAINED].map((turn) => classifyTurn(committed(), turn).discovery);
    expect(explained).toBeGreaterThan(fixed as number);
  });
});

describe("the file", () => {
  it("is read as it was written", () => {
    const file = writeModel(committed());
    expect(parseModel(file)).toEqual(committed());
  });

  it.each<[string, (file: Buffer) => Buffer]>([
    ["empty", () => Buffer.alloc(0)],
    ["cut off", (file) => file.subarray(0, -1)],
    ["too long", (file) => Buffer.concat([file, Buffer.alloc(1)])],
    ["of another format", (file) => Buffer.concat([Buffer.from("CMS0"), file.subarray(4)])],
  ])("is refused if it is %s", (_, damage) => {
    expect(parseModel(damage(writeModel(committed())))).toBeUndefined();
  });
});

describe("the training", () => {
  const turns = ["shop", "blog"].flatMap((repo) =>
    [0, 1, 2, 3, 4].map((index) => ({
      repo,
      session: `${index}${repo}`,
      type: "bugfix",
      headline: 1,
      prompt: "The upload fails",
      next_prompt: index === 0 ? "(session ends here)" : "thanks",
      changed_files: ["src/upload.ts"],
      sentences: [
        { from: "user", kind: "text", section: "", text: "The upload fails", label: "T", useful: 0 },
        { from: "agent-last", kind: "text", section: "", text: "Fixed the upload.", label: "W", useful: 2 },
      ],
    })),
  );

  it("writes weights that know the labels, the same ones every time", () => {
    const folder = mkdtempSync(join(tmpdir(), "c-mem-train-"));
    const labels = join(folder, "turns.jsonl");
    writeFileSync(labels, turns.map((turn) => JSON.stringify(turn)).join("\n"));
    const [file, again] = ["a.bin", "b.bin"].map((name) => {
      const out = join(folder, name);
      execFileSync(process.execPath, ["dev/train-sentences.ts", "--labels", labels, "--without", "blog", "--out", out]);
      return readFileSync(out);
    }) as [Buffer, Buffer];
    expect(file.equals(again)).toBe(true);
    const [{ prompt, changed_files: changedFiles, sentences }] = turns as [(typeof turns)[number]];
    const turn = { prompt, changedFiles, sentences, nextPrompt: undefined } as SourceTurn;
    const verdicts = classifySentences(parseModel(file) as SentenceModel, turn);
    expect(verdicts[0]?.chances.T).toBeGreaterThan(0.5);
    expect(verdicts[1]?.chances.W).toBeGreaterThan(0.5);
    expect(verdicts[1]?.isHeadline).toBeGreaterThan(0.5);
  });
});
