// Returns memory that a burst of work needed to the system.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type CollectGarbage = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

let collectGarbage: CollectGarbage | undefined;

/** An idle V8 keeps its spare pages (30 MB after a sync): only a last-resort collection frees them. Takes some 50 ms. */
export function releaseMemory(): void {
  collectGarbage ??= findCollector();
  collectGarbage({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** Contexts made after the flag is set have `gc`; this one does not. */
function findCollector(): CollectGarbage {
  setFlagsFromString("--expose-gc");
  const collector = runInNewContext("gc") as CollectGarbage;
  setFlagsFromString("--no-expose-gc");
  return collector;
}
