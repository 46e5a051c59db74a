// Puts what the lanes have found in order: sessions by the best of each lane, turns with what stands beside them.
import type { FileHit } from "../../store/fts/fts-index.ts";
import type { Gathered, LaneName, TurnHit } from "./gather.ts";

/** A session's best row, and less and less of its next ones. */
const DECAY: Readonly<Record<LaneName, readonly number[]>> = {
  talk: [1],
  work: [1, 0.5, 0.25],
  files: [1, 1, 1, 1],
  meaning: [1, 0.5, 0.25],
  thinking: [1],
};
const MAX_TURNS = 3;

export interface SessionHit {
  session: number;
  score: number;
  turns: TurnHit[];
  /** In a search for files: the best first. */
  files: FileHit[];
}

/** Where scores are equal the order of the lanes stays: newest first, if they could not rank. */
export function rankSessions(found: ReadonlyMap<number, Gathered>): SessionHit[] {
  return [...found]
    .map(([session, gathered]) => ({
      session,
      score: scoreOf(gathered),
      turns: bestTurns(gathered),
      files: bestFiles(gathered),
    }))
    .sort((a, b) => b.score - a.score);
}

function scoreOf({ lanes }: Gathered): number {
  return (Object.keys(DECAY) as LaneName[]).reduce((sum, lane) => sum + decayed(lanes[lane], DECAY[lane]), 0);
}

function decayed(scores: readonly number[], decay: readonly number[]): number {
  const best = scores.toSorted((a, b) => b - a);
  return decay.reduce((sum, factor, index) => sum + factor * (best[index] ?? 0), 0);
}

function bestTurns({ turns }: Gathered): TurnHit[] {
  return [...turns.values()].sort((a, b) => b.score - a.score).slice(0, MAX_TURNS);
}

/** A path may have been named twice in a query. */
function bestFiles({ files }: Gathered): FileHit[] {
  const best = files.toSorted((a, b) => b.score - a.score || b.at - a.at);
  return best.filter((file, index) => best.findIndex(({ path }) => path === file.path) === index);
}

export interface TurnPlace extends TurnHit {
  session: number;
}

/** A question and its answer, a remark and what it is about stand side by side: of its neighbours a turn gets this much. */
const BESIDE = [0.3, 0.1] as const;

export function rankTurns(found: ReadonlyMap<number, Gathered>): TurnPlace[] {
  return [...found]
    .flatMap(([session, { turns }]) => {
      const at = (promptNumber: number): number => turns.get(promptNumber)?.score ?? 0;
      return [...turns.values()].map((turn) => ({
        ...turn,
        session,
        score: BESIDE.reduce(
          (sum, share, index) => sum + share * (at(turn.promptNumber - index - 1) + at(turn.promptNumber + index + 1)),
          turn.score,
        ),
      }));
    })
    .sort((a, b) => b.score - a.score);
}
