// Finds the observations that a prompt is about.
import type { Db } from "../../store/db/driver.ts";
import { observationsByIds, observationsWithWord } from "../../store/fts/observation-words.ts";
import type { ObservationRow } from "../../store/tables/observations.ts";
import { hasSubstance, sentencesAbout } from "./observation-lines.ts";
import { chooseSentences, isStrongMatch, type PromptWords, shareOf, wordsIn } from "./prompt-words.ts";
import type { ThrottleLevel } from "./throttle.ts";

export interface MatchRequest {
  projectId: number;
  /** What this session said is skipped: it is still in the agent's context. */
  ownSessionId: number | undefined;
  /** Ids of the items that were injected into this session before. */
  shown: ReadonlySet<string>;
  /** The higher, the more words have to match. */
  throttle: ThrottleLevel;
}

export interface MatchedObservation {
  row: ObservationRow;
  /** The sentences of its text that fit. */
  said: string[];
  /** The title has none of the prompt's words: it is about another part of the same work. */
  isTitleApart: boolean;
  /** The share of the prompt's rare words that it has, by weight: 0 to 1. */
  share: number;
}

/** A word that more observations have is not looked up: it does not tell them apart. */
const MAX_ROWS = 200;
/** Some are of the session itself. */
const MAX_READ = 60;
const CANDIDATES = 16;
const MAX_MATCHES = 2;
/** Scores below 70% of the best are dropped. */
const NEAR_BEST = 0.7;
const TYPE_WORTH = { decision: 1.2, bugfix: 1.15, discovery: 1.15, feature: 0.9, refactor: 0.8, change: 0.8 };
const ORIGIN_WORTH = { user: 1.1, assistant: 1, tool: 0.75 };
/** The other types are notes of work. */
export const INFORMATIVE_TYPES: ReadonlySet<string> = new Set(["decision", "bugfix", "discovery"]);
const PINNED_WORTH = 1.5;

/** Best match first. */
export function matchObservations(db: Db, parts: readonly PromptWords[], request: MatchRequest): MatchedObservation[] {
  const votes = new Map<number, number>();
  for (const { word, weight } of parts[0]?.rare ?? []) {
    const ids = observationsWithWord(db, word, request.projectId, MAX_ROWS + 1);
    if (ids.length <= MAX_ROWS) for (const id of ids) votes.set(id, (votes.get(id) ?? 0) + weight);
  }
  if (votes.size === 0) return [];
  const { ownSessionId = -1, shown, throttle } = request;
  const ids = [...votes].sort(([a, x], [b, y]) => y - x || b - a).map(([id]) => id);
  const rows = observationsByIds(db, ids.slice(0, MAX_READ))
    .filter((row) => row.session_db_id !== ownSessionId && !shown.has(`o${row.id}`) && hasSubstance(row))
    .slice(0, CANDIDATES);
  const rated = rows
    .flatMap((row) => parts.map((words) => ({ row, words })))
    .flatMap(({ row, words }) => {
      const said = chooseSentences(sentencesAbout(row), words.rare);
      const told = [row.title, ...said];
      const found = wordsIn(told.join("\n"), words.rare);
      const share = shareOf(found, words.totalWeight);
      return isStrongMatch(told, found, words, { throttle, isNote: !INFORMATIVE_TYPES.has(row.type) })
        ? [
            {
              row,
              said,
              isTitleApart: row.type !== "decision" && said.length > 0 && wordsIn(row.title, words.rare).length === 0,
              share,
              score: share * worthOf(row),
            },
          ]
        : [];
    })
    .sort((a, b) => b.score - a.score || b.row.valid_from - a.row.valid_from);
  const best = rated[0]?.score ?? 0;
  const seen = new Set<number>();
  return rated
    .filter(({ row, score }) => score >= best * NEAR_BEST && !seen.has(row.id) && seen.add(row.id))
    .slice(0, MAX_MATCHES);
}

function worthOf({ type, origin, pinned }: ObservationRow): number {
  return TYPE_WORTH[type] * ORIGIN_WORTH[origin] * (pinned === 1 ? PINNED_WORTH : 1);
}
