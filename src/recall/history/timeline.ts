// What happened in a project before and after something, across sessions.
import { AppError } from "../../core/error.ts";
import { type CommitRow, commitsInTurn } from "../../store/tables/commits.ts";
import type { Db } from "../../store/db/driver.ts";
import { findItem } from "../../store/reads/items.ts";
import { continuedSessions } from "../../store/reads/relations.ts";
import type { SessionEntry } from "../../store/reads/session-list.ts";
import {
  type FailedCommand,
  failedCommandsInTurn,
  filesChangedInTurn,
  type TurnEntry,
  type TurnFile,
  type TurnScope,
  turnsAfter,
  turnsBefore,
  turnsBetween,
  turnsOfSession,
} from "../../store/reads/timeline.ts";

export interface TimelineTurn extends TurnEntry {
  /** True for what was asked about. */
  isAnchor: boolean;
  files: TurnFile[];
  commits: CommitRow[];
  failed: FailedCommand[];
  /** What its session goes on with. */
  continues: { session_id: string; weight: number }[];
}

/** What other sessions did meanwhile is shown up to here; what was asked about is shown as a whole. */
const MAX_TURNS_BETWEEN = 100;

export function latestTurns(db: Db, scope: TurnScope, depth: number): TimelineTurn[] {
  const turns = turnsBefore(db, scope, Number.MAX_SAFE_INTEGER, depth + 1).toReversed();
  return turns.map((turn, index) => withEvents(db, turn, index === turns.length - 1));
}

export interface Depth {
  before: number;
  after: number;
}

/** Around a session, one of its turns, or the turn of an item. */
export function timelineAround(
  db: Db,
  anchor: { session: SessionEntry; itemId?: string; promptNumber?: number },
  scope: TurnScope,
  depth: Depth,
): TimelineTurn[] {
  const sessionDbId = anchor.session.parent_session_db_id ?? anchor.session.id;
  const number = anchor.promptNumber ?? promptNumberOf(db, anchor.itemId);
  const own = turnsOfSession(db, sessionDbId).filter((turn) => number === undefined || turn.prompt_number === number);
  const first = own[0];
  if (first === undefined) {
    throw new AppError("nothing_found", "Nobody prompted in that session: it has no place in the timeline.", {
      hint: "`c-mem show` has what there is of it.",
    });
  }
  const span = { from: first.created_at, to: own.at(-1)?.created_at ?? first.created_at };
  const anchors = new Set(own.map((turn) => turn.id));
  const between = turnsBetween(db, scope, span, MAX_TURNS_BETWEEN + own.length).filter((turn) => !anchors.has(turn.id));
  const turns = [
    ...turnsBefore(db, scope, span.from, depth.before).toReversed(),
    ...[...own, ...between.slice(0, MAX_TURNS_BETWEEN)].sort((a, b) => a.created_at - b.created_at || a.id - b.id),
    ...turnsAfter(db, scope, span.to, depth.after),
  ];
  return turns.map((turn) => withEvents(db, turn, anchors.has(turn.id)));
}

/** Around a moment that is no turn's. */
export function timelineAt(db: Db, at: number, scope: TurnScope, depth: Depth): TimelineTurn[] {
  const turns = [...turnsBefore(db, scope, at, depth.before).toReversed(), ...turnsAfter(db, scope, at, depth.after)];
  return turns.map((turn) => withEvents(db, turn, false));
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
    continues: continuedSessions(db, turn.session_id),
  };
}
