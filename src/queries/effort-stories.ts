// Tells of efforts from memory that is up to date, as far as nobody has to wait for it.
import { deriveSession } from "../memory/derive.ts";
import { type EffortStory, effortStory } from "../recall/efforts/efforts.ts";
import type { Effort } from "../recall/efforts/efforts.ts";
import type { Db } from "../store/db/driver.ts";

const MAX_DERIVE_MS = 1_000;

export function effortStories(db: Db, efforts: readonly Effort[]): EffortStory[] {
  const deadline = performance.now() + MAX_DERIVE_MS;
  for (const { id } of efforts.flatMap(({ members }) => members.toReversed())) {
    if (performance.now() < deadline) deriveSession(db, id, Date.now());
  }
  return efforts.map((effort) => effortStory(db, effort));
}
