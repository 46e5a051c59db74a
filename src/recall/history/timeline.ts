// Lists the turns of a project before and after a session, a turn or a moment, across sessions.
import { AppError } from "../../core/error.ts";
import type { Db } from "../../store/db/driver.ts";
import { findItem } from "../../store/reads/items.ts";
import { continuedSessions } from "../../store/reads/relations.ts";
import type { SessionEntry } from "../../store/reads/session-list.ts";
import {
  failedCommandsInTurn,
  filesChangedInTurn,
  type TurnEntry,
  type TurnScope,
  turnsAfter,
  turnsBefore,
  turnsBetween,
  turnsOfSession,
} from "../../store/reads/timeline.ts";
import { commitsOf } from "../../store/tables/commits.ts";

export type TimelineTurn = ReturnType<typeof withEvents>[number];

export interface Depth {
  before: number;
  after: number;
}

/** All turns that were asked for are shown, and at most this many turns of other sessions between them. */
const MAX_TURNS_BETWEEN = 100;

export function latestTurns(db: Db, scope: TurnScope, depth: number): TimelineTurn[] {
  const turns = turnsBefore(db, scope, Number.MAX_SAFE_INTEGER, depth + 1).toReversed();
  return withEvents(db, turns, ({ id }) => id === turns.at(-1)?.id);
}

/** The timeline around a session, one of its turns, or the turn of an item. */
export function timelineAround(
  db: Db,
  anchor: { session: SessionEntry; itemId?: string; promptNumber?: number },
  scope: TurnScope,
  depth: Depth,
): TimelineTurn[] {
  const { session, itemId, promptNumber } = anchor;
  const number = promptNumber ?? (itemId === undefined ? undefined : findItem(db, itemId)?.prompt_number);
  const all = turnsOfSession(db, session.parent_session_db_id ?? session.id);
  const own = all.filter((turn) => number === undefined || turn.prompt_number === number);
  const [first] = own;
  if (first === undefined) {
    throw new AppError("nothing_found", "That session has no prompt, so it is not in the timeline.", {
      hint: `\`c-mem show ${session.session_id}\` shows the session.`,
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
  return withEvents(db, turns, ({ id }) => anchors.has(id));
}

/** The timeline around a point in time. */
export function timelineAt(db: Db, at: number, scope: TurnScope, depth: Depth): TimelineTurn[] {
  const before = turnsBefore(db, scope, at, depth.before).toReversed();
  return withEvents(db, [...before, ...turnsAfter(db, scope, at, depth.after)], () => false);
}

function withEvents(db: Db, turns: readonly TurnEntry[], isAnchor: (turn: TurnEntry) => boolean) {
  return turns.map((turn) => ({
    ...turn,
    /** True for the turns that were asked for. */
    isAnchor: isAnchor(turn),
    files: filesChangedInTurn(db, turn),
    commits: commitsOf(db, turn.session_db_id, turn.prompt_number),
    failed: failedCommandsInTurn(db, turn),
    /** The sessions that the turn's session continues. */
    continues: continuedSessions(db, turn.session_id),
  }));
}
