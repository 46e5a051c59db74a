// An embedder without a model: each dimension is a group of words with the same meaning.
import { type Embedder, normalise } from "../../src/embed/embedder.ts";

const MEANINGS = [
  ["login", "signin", "credentials", "password"],
  ["bill", "invoice", "receipt"],
  ["slow", "latency", "sluggish", "performance"],
  ["colour", "theme", "palette"],
  ["deploy", "release", "ship"],
];

export function wordEmbedder(id = "words", dimensions = 64): Embedder & { texts: string[] } {
  const texts: string[] = [];
  return {
    id,
    dimensions,
    texts,
    embed(asked) {
      texts.push(...asked);
      return Promise.resolve(asked.map((text) => vectorOf(text, dimensions)));
    },
    close: () => Promise.resolve(),
  };
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions).fill(0.01);
  for (const [word] of text.toLowerCase().matchAll(/[a-z]+/g)) {
    const meaning = MEANINGS.findIndex((same) => same.includes(word));
    if (meaning >= 0) vector[meaning] = (vector[meaning] ?? 0) + 1;
  }
  return normalise(vector);
}
