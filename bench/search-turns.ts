// Ranks single turns instead of sessions: LoCoMo names the turns that hold the answer.
import type { Db } from "../src/store/db/driver.ts";
import { findHits, type SearchOptions } from "../src/recall/search/search.ts";
import type { TurnHit } from "../src/recall/search/session-hits.ts";

/** A question and its answer are neighbours: a turn also gets 0.3 of the score of the next turns and 0.1 of those after. */
const NEIGHBOUR_SHARES = [0.3, 0.1];

/** Without thinking, which may have been wrong. */
export function searchTurns(db: Db, text: string, options: SearchOptions): (TurnHit & { session: number })[] {
  const without = [...(options.without ?? []), "thinking" as const];
  const [found] = findHits(db, text, { ...options, without }).groups;
  return [...found]
    .flatMap(([session, { turns }]) => {
      const scoreAt = (promptNumber: number): number => turns.get(promptNumber)?.score ?? 0;
      return [...turns.values()].map((turn) => ({
        ...turn,
        session,
        score: NEIGHBOUR_SHARES.reduce(
          (sum, share, index) =>
            sum + share * (scoreAt(turn.promptNumber - index - 1) + scoreAt(turn.promptNumber + index + 1)),
          turn.score,
        ),
      }));
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, options.limit);
}
