// Opens a home folder and a scripted model for each tool and measurement, and stops what was started in them.
import { join } from "node:path";
import type { Contestant, Measurement } from "./contestant.ts";
import type { Runner } from "./hooks.ts";
import { type ModelServer, startModel } from "./model-server.ts";
import { createPlace, killAllIn } from "./place.ts";
import type { Row } from "./results.ts";

interface Opened extends Runner {
  model: ModelServer;
}

interface OpenOptions {
  /** True: tools that also work without a model are connected to one, too. */
  withModel?: boolean;
}

export interface Stage {
  root: string;
  open(contestant: Contestant, purpose: string, options?: OpenOptions): Promise<Opened>;
  /** Runs a part of the measurements, then stops everything that was opened in it. */
  part(name: string, work: () => Promise<void>): Promise<void>;
}

export function createStage(root: string, node: string): Stage {
  const opened: Opened[] = [];
  return {
    root,
    async open(contestant, purpose, { withModel = false } = {}) {
      const folder = join(root, contestant.name);
      const place = createPlace(folder, join(folder, "homes", purpose), node);
      const model = await startModel(contestant);
      opened.push({ contestant, place, model });
      await contestant.prepare?.(place, { url: model.url, isWanted: withModel });
      return { contestant, place, model };
    },
    async part(name, work) {
      console.error(`${name} (${new Date().toISOString().slice(11, 19)})`);
      try {
        await work();
      } finally {
        for (const { place, model } of opened.splice(0)) {
          killAllIn(place.home);
          await model.close();
        }
      }
    },
  };
}

/** A tool that is measured, and its row. */
export interface Entry {
  contestant: Contestant;
  row: Row;
}

/** The tools that support a measurement. The rows of the others get the reason. */
export function measured(entries: readonly Entry[], measurement: Measurement): Entry[] {
  return entries.filter(({ contestant, row }) => {
    const reason = contestant.missing[measurement];
    if (reason !== undefined) row.missing[measurement] = reason;
    return reason === undefined;
  });
}

/** A failure is listed, it does not stop the others. */
export async function attempt(row: Row, measurement: Measurement, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    row.missing[measurement] = reason;
    console.error(`  ${row.name}, ${measurement}: ${reason}`);
  }
}
