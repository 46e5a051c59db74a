// MiniLM in this process: for a command that embeds one query and ends.
import { setImmediate } from "node:timers/promises";
import type { Paths } from "../config/paths.ts";
import { createBatch } from "./batch.ts";
import type { Embedder } from "./embedder.ts";
import { loadMiniLm, type LoadedModel } from "./minilm.ts";

/** The model is loaded now (some 25 MB) and let go of by `close`. */
export function openLocal(paths: Paths): Embedder & Pick<LoadedModel, "note"> {
  const { engine, note } = loadMiniLm(paths);
  let current: typeof engine | undefined = engine;
  return {
    id: engine.id,
    dimensions: engine.shape.hidden,
    note,
    async embed(texts) {
      if (current === undefined) throw new Error("The model is closed");
      const batch = createBatch(current, texts);
      while (batch.left > 0) {
        batch.step();
        // Others may have something to do as well.
        await setImmediate();
      }
      return batch.vectors;
    },
    close() {
      current = undefined;
      return Promise.resolve();
    },
  };
}
