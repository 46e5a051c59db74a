// Cuts a list of texts into passes: short texts side by side until the model's room is full, long ones alone.
import type { Engine } from "./engine.ts";

export interface Batch {
  /** Texts that still have no vector. */
  readonly left: number;
  /** One pass: a few milliseconds for a short text, some hundred for a full one. */
  step(): void;
  readonly vectors: Float32Array[];
}

export function createBatch(engine: Engine, texts: readonly string[]): Batch {
  const vectors: Float32Array[] = [];
  let waiting: number[] | undefined;
  return {
    get left() {
      return texts.length - vectors.length;
    },
    step() {
      const pass: number[][] = [];
      let room = engine.shape.positions;
      while (vectors.length + pass.length < texts.length) {
        waiting ??= engine.tokenize(texts[vectors.length + pass.length] ?? "");
        if (waiting.length > room) break;
        room -= waiting.length;
        pass.push(waiting);
        waiting = undefined;
      }
      vectors.push(...engine.forward(pass));
    },
    vectors,
  };
}
