// What happened in a project before and after something, across sessions.
import { AppError } from "../core/error.ts";
import { type CommitRow, commitsInTurn } from "../store/commits.ts";
import type { Db } from "../store/driver.ts";
import { findItem } from "../store/items.ts";
import { promptsOf } from "../store/prompts.ts";
import type { Scope } from "../store/scope.ts";
import type { SessionEntry } from "../store/session-list.ts";
import {
  type FailedCommand,
  failedCommandsInTurn,
  filesChangedInTurn,
  type TurnEntry,
  type TurnFile,
  turnsAfter,
  turnsBefore,
  turnsBetween,
} from "../store/timeline.ts";

export interface TimelineTurn extends TurnEntry {
  /** True for what was asked about. */
  isAnchor: boolean;
  files: TurnFile[];
  commits: CommitRow[];
  failed: FailedCommand[];
}

/** A long session's own turns are shown up to here. */
const MAX_ANCHOR_TURNS = 100;

export function latestTurns(db: Db, scope: Scope, depth: number): TimelineTurn[] {
  const turns = turnsBefore(db, scope, Number.MAX_SAFE_INTEGER, depth + 1).toReversed();
  return turns.map((turn, index) => withEvents(db, turn, index === turns.length - 1));
}

export function timelineAround(
  db: Db,
  anchor: { session: SessionEntry; itemId?: string },
  scope: Scope,
  depth: number,
): TimelineTurn[] {
  const sessionDbId = anchor.session.parent_session_db_id ?? anchor.session.id;
  const number = promptNumberOf(db, anchor.itemId);
  const own = promptsOf(db, sessionDbId).filter((prompt) => number === undefined || prompt.prompt_number === number);
  const first = own[0];
  if (first === undefined) {
    throw new AppError("nothing_found", "Nobody prompted in that session: it has no place in the timeline.", {
      hint: "`c-mem show` has what there is of it.",
    });
  }
  const span = { from: first.created_at, to: own.at(-1)?.created_at ?? first.created_at };
  const turns = [
    ...turnsBefore(db, scope, span.from, depth).toReversed(),
    ...turnsBetween(db, scope, span, MAX_ANCHOR_TURNS),
    ...turnsAfter(db, scope, span.to, depth),
  ];
  const anchors = new Set(own.map((prompt) => prompt.id));
  return turns.map((turn) => withEvents(db, turn, anchors.has(turn.id)));
}

function promptNumberOf(db: Db, itemId: string | undefined): number | undefined {
  return itemId === undefined ? undefined : findItem(db, itemId)?.prompt_number;
}

function withEvents(db: Db, turn: TurnEntry, isAnchor: boolean): TimelineTurn {
  return {
    ...turn,
    isAnchor,
    files: filesChangedInTurn(db, turn),
    commits: commitsInTurn(db, turn),
    failed: failedCommandsInTurn(db, turn),
  };
}
