// Runs MiniLM in this process, for a command that embeds one query and exits.
import { setImmediate } from "node:timers/promises";
import type { Paths } from "../config/paths.ts";
import type { Embedder } from "./embedder.ts";
import type { Engine } from "./engine.ts";
import { loadMiniLm } from "./minilm.ts";

/** Loads the model (about 25 MB) at once and releases it on `close`. */
export function openLocal(paths: Paths): Embedder {
  let engine: Engine | undefined = loadMiniLm(paths);
  return {
    id: engine.id,
    dimensions: engine.shape.hidden,
    async embed(texts) {
      if (engine === undefined) throw new Error("The model is closed");
      const passes = embedInPasses(engine, texts);
      for (;;) {
        const { done, value } = passes.next();
        if (done === true) return value;
        // Let the process do other work between two passes.
        await setImmediate();
      }
    },
    close() {
      engine = undefined;
      return Promise.resolve();
    },
  };
}

/** Embeds short texts together, as many as fit in a pass. Yields the number of remaining texts after each pass. */
export function* embedInPasses(engine: Engine, texts: readonly string[]): Generator<number, Float32Array[]> {
  const vectors: Float32Array[] = [];
  let next: number[] | undefined;
  while (vectors.length < texts.length) {
    const pass: number[][] = [];
    let tokensLeft = engine.shape.positions;
    while (vectors.length + pass.length < texts.length) {
      next ??= engine.tokenize(texts[vectors.length + pass.length] ?? "");
      if (next.length > tokensLeft) break;
      tokensLeft -= next.length;
      pass.push(next);
      next = undefined;
    }
    vectors.push(...engine.forward(pass));
    yield texts.length - vectors.length;
  }
  return vectors;
}
