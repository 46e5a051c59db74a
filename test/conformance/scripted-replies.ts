// Builds replies of a scripted model from what a test says about each turn.
import { type KnownItem, type ModelRequest, type Piece, promptOf, saidIn } from "./model-request.ts";
import type { Scene } from "./scenes.ts";

export interface ScriptedNote {
  type: string;
  title: string;
  narrative: string;
  /** For a decision: the words of the prompt that settled it. */
  quote?: string;
  /** The known note that it replaces. */
  replaces?: RegExp;
}

export interface ScriptedTurn {
  notes: readonly ScriptedNote[];
  completed: string;
  nextSteps?: string;
  /** The known open ends that the turn did. */
  closes?: RegExp;
}

export const answer = (value: object): Scene => ({ kind: "answer", value });

/** A note whose title is known already is confirmed instead of written again, as the prompt asks. */
export function turnsReply(request: ModelRequest, script: (turn: number) => ScriptedTurn): Scene {
  const turns = request.turns.map((turn) => ({ turn, ...script(turn) }));
  const known = (wanted: RegExp | undefined, isOpen: boolean): KnownItem[] =>
    request.known.filter(({ id, text }) => id.startsWith("n") === isOpen && wanted?.test(text) === true);
  const confirmed = turns.flatMap(({ notes }) =>
    notes.flatMap(({ title }) => request.known.filter(({ text }) => text === title)),
  );
  const observations = turns.flatMap(({ turn, notes }) =>
    notes
      .filter(({ title }) => !confirmed.some(({ text }) => text === title))
      .map(({ replaces, quote = "", ...note }) => ({
        turn,
        ...note,
        subtitle: "",
        facts: [],
        concepts: [],
        files: [],
        evidence: idsOf(request.pieces.filter((piece) => piece.turn === turn)),
        quote,
        replaces: known(replaces, false).map(({ id }) => id),
      })),
  );
  return answer({
    observations,
    confirmed: confirmed.map(({ id }) => id),
    closed: turns.flatMap(({ turn, closes }) =>
      known(closes, true).map(({ id }) => ({ id, evidence: idsOf(saidIn(request, turn)) })),
    ),
    turns: turns.map(({ turn, completed, nextSteps = "" }) => ({
      turn,
      request: promptOf(request, turn)?.text.slice(0, 120) ?? "",
      investigated: "",
      learned: "",
      completed,
      next_steps: nextSteps,
      notes: "",
      evidence: idsOf(saidIn(request, turn)),
    })),
  });
}

const idsOf = (pieces: readonly Piece[]): string[] => [...new Set(pieces.map(({ id }) => id))];

export interface ScriptedSession {
  title: string;
  completed: string;
  open: readonly string[];
  handover: readonly string[];
}

export function sessionReply(request: ModelRequest, session: ScriptedSession): Scene {
  return answer({
    subtitle: "",
    request: saidIn(request)[0]?.text.split("\n")[0] ?? "",
    investigated: "",
    learned: "",
    notes: "",
    decisions: [],
    ...session,
    evidence: idsOf(saidIn(request)),
  });
}
