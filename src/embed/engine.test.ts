import { describe, expect, it } from "vitest";
import { cosine, plainModel } from "../../test/embed/plain-bert.ts";
import { randomNormals, tinyHome, tinyTensors } from "../../test/embed/tiny-model.ts";
import { loadEngine } from "./engine.ts";
import { minilmFile } from "./minilm.ts";

const TEXTS = [
  "the",
  "the login test fails",
  "the worker, unfixed: testing (login)",
  "a1 b2 c3 d4 e5 f6 g7 h8",
  "the worker ".repeat(100),
  "",
];

describe("the engine", () => {
  it.each([1, 2, 3])("returns nearly the same vectors as a plain float forward pass (random model %i)", (seed) => {
    const tensors = tinyTensors(seed);
    const engine = loadEngine(minilmFile(tinyHome(tensors)));
    const plain = plainModel(tensors);
    for (const text of TEXTS) {
      const tokens = engine.tokenize(text);
      const [vector] = engine.forward([tokens]);
      expect(cosine(vector ?? [], plain(tokens)), text).toBeGreaterThan(0.999);
    }
  });

  it("returns vectors of length one", () => {
    const engine = loadEngine(minilmFile(tinyHome()));
    for (const vector of engine.forward(TEXTS.slice(0, 4).map(engine.tokenize))) {
      expect(vector.reduce((total, value) => total + value * value, 0)).toBeCloseTo(1, 5);
    }
  });

  it("returns the same vector for a text alone and with other texts", () => {
    const engine = loadEngine(minilmFile(tinyHome()));
    const texts = TEXTS.slice(0, 4).map(engine.tokenize);
    const together = engine.forward(texts);
    const alone = texts.map((tokens) => engine.forward([tokens])[0]);
    expect(together).toEqual(alone);
    expect(engine.forward(texts.toReversed())).toEqual(alone.toReversed());
  });

  it("is precise if a token's numbers differ by orders of magnitude", () => {
    const tensors = tinyTensors();
    const normal = randomNormals(7);
    const words = tensors.read("embeddings.word_embeddings.weight");
    for (let index = 0; index < words.length; index++) words[index] = normal() ** 5;
    const engine = loadEngine(minilmFile(tinyHome(tensors)));
    const tokens = engine.tokenize("the login test fails");
    expect(cosine(engine.forward([tokens])[0] ?? [], plainModel(tensors)(tokens))).toBeGreaterThan(0.999);
  });

  it("rejects more tokens than the model can read", () => {
    const engine = loadEngine(minilmFile(tinyHome()));
    expect(() => engine.forward([Array.from({ length: 65 }, () => 1)])).toThrow(RangeError);
  });
});
