// Writes a whole session as text for a model: of every turn the request, its notes, the last words and the commits.
import { filterText } from "../../core/privacy/filter.ts";
import { oneLine } from "../../core/text.ts";
import { estimateTokens } from "../../core/tokens.ts";
import type { Db } from "../../store/db/driver.ts";
import { decisionsInForce } from "../../store/reads/known-items.ts";
import { projectIdOfSession } from "../../store/tables/projects.ts";
import { isWrongObservation } from "../../store/tables/wrong-items.ts";
import { type CommitRow, commitsOf } from "../../store/tables/commits.ts";
import { type ObservationRow, observationsOfSession } from "../../store/tables/observations.ts";
import { type PromptRow, promptsOf } from "../../store/tables/prompts.ts";
import { currentSummaries, type SummaryRow } from "../../store/tables/summaries.ts";
import { readRepositoryState, repositoryOpenEnds } from "../session/open-ends.ts";
import { escapeHeads } from "./turn-record.ts";

/** Half of a record of turns: most of it is condensed already. */
const MAX_TOKENS = 6_000;
/** Characters of each text. For a long session, all limits are scaled down by the same factor. */
const CHARS = { prompt: 900, response: 900, lastResponse: 3_000, note: 160, narrative: 240, summary: 400, commit: 120 };
const SCALES = [1, 0.6, 0.35, 0.2, 0.1, 0.05];
const MIN_CHARS = 60;
/** Of a session that is still too long, these turns are shown, and as many of the last ones as fit. */
const FIRST_TURNS = 2;

export interface SessionRecord {
  text: string;
  /** Ids that a reply may cite: those that are shown. */
  ids: ReadonlySet<string>;
  /** Turns that have ended. */
  prompts: readonly PromptRow[];
  notes: readonly ObservationRow[];
  /** Decisions of the session, also those that no longer hold, and those in force in the project. */
  decisions: readonly Pick<ObservationRow, "title" | "narrative">[];
  /** The state of the repository at the end, one line each. */
  repository: string;
}

export function sessionRecord(db: Db, sessionDbId: number): SessionRecord {
  const prompts = promptsOf(db, sessionDbId).filter(({ state }) => state !== "running");
  const all = observationsOfSession(db, sessionDbId);
  const notes = all.filter((row) => row.superseded_by === null && !isWrongObservation(db, row.id));
  const lastTurn = prompts.at(-1)?.prompt_number ?? 0;
  const { local, published } = repositoryOpenEnds(db, sessionDbId, readRepositoryState(db, sessionDbId, lastTurn));
  const session: Session = {
    prompts,
    notes: Map.groupBy(notes, (row) => row.prompt_number ?? 0),
    summaries: new Map(currentSummaries(db, sessionDbId).map((row) => [row.prompt_number, row])),
    commits: Map.groupBy(commitsOf(db, sessionDbId), (row) => row.prompt_number),
    repository: [...local, ...published],
  };
  let pieces: string[] = [];
  for (const scale of SCALES) {
    pieces = piecesOf(session, scale);
    if (tokensOf(pieces) <= MAX_TOKENS) break;
  }
  const text = fitting(pieces).join("\n\n");
  const ids = new Set([...prompts.map(({ id }) => `p${id}`), ...notes.map(({ id }) => `o${id}`)].filter(isIn(text)));
  const own = all.filter(({ type }) => type === "decision");
  const projectId = projectIdOfSession(db, sessionDbId);
  const decisions = [...own, ...(projectId === undefined ? [] : decisionsInForce(db, projectId))];
  return { text, ids, prompts, notes, decisions, repository: session.repository.join("\n") };
}

function tokensOf(pieces: readonly string[]): number {
  return pieces.reduce((sum, piece) => sum + estimateTokens(piece) + 1, 0);
}

/** All pieces if they fit; else the first turns and the last pieces that fit. */
function fitting(pieces: readonly string[]): string[] {
  if (tokensOf(pieces) <= MAX_TOKENS) return [...pieces];
  const first = pieces.slice(0, FIRST_TURNS);
  const last: string[] = [];
  let tokens = tokensOf(first);
  for (const piece of pieces.slice(FIRST_TURNS).toReversed()) {
    tokens += estimateTokens(piece) + 1;
    if (tokens > MAX_TOKENS) break;
    last.unshift(piece);
  }
  return [...first, `=== ${pieces.length - first.length - last.length} turns are not shown ===`, ...last];
}

function isIn(text: string): (id: string) => boolean {
  const shown = new Set(text.match(/^(?:=== )?[po]\d+(?= )/gm)?.map((head) => head.replace("=== ", "")));
  return (id) => shown.has(id);
}

interface Session {
  prompts: readonly PromptRow[];
  notes: ReadonlyMap<number, readonly ObservationRow[]>;
  summaries: ReadonlyMap<number, SummaryRow>;
  commits: ReadonlyMap<number, readonly CommitRow[]>;
  repository: readonly string[];
}

/** A piece for each turn, then one for the state of the repository. */
function piecesOf({ prompts, notes, summaries, commits, repository }: Session, scale: number): string[] {
  const cut = (text: string, chars: number): string =>
    escapeHeads(filterText(text, Math.max(MIN_CHARS, Math.round(chars * scale))));
  const turns = prompts.map(({ id, prompt_number: turn, text, response }, index) => {
    const isLast = index === prompts.length - 1;
    const summary = summaries.get(turn);
    return [
      `=== turn ${turn} ===`,
      `=== p${id} the user asked ===\n${cut(text, CHARS.prompt)}`,
      ...(notes.get(turn) ?? []).map((row) => noteText(row, cut)),
      ...(summary?.completed ? [`done: ${cut(summary.completed, CHARS.summary)}`] : []),
      ...(summary?.next_steps ? [`open: ${cut(summary.next_steps, CHARS.summary)}`] : []),
      ...(commits.get(turn) ?? []).map(
        ({ sha, subject }) => `commit ${sha.slice(0, 10)} ${cut(subject, CHARS.commit)}`,
      ),
      ...(response
        ? [`=== p${id} the agent ended with ===\n${cut(response, isLast ? CHARS.lastResponse : CHARS.response)}`]
        : []),
    ].join("\n");
  });
  const state = repository.length === 0 ? [] : [`=== state of the repository at the end ===\n${repository.join("\n")}`];
  return [...turns, ...state];
}

function noteText(row: ObservationRow, cut: (text: string, chars: number) => string): string {
  const narrative =
    row.narrative === row.title ? "" : ` | ${oneLine(cut(row.narrative, CHARS.narrative), CHARS.narrative)}`;
  return `o${row.id} ${row.type}: ${oneLine(cut(row.title, CHARS.note), CHARS.note)}${narrative}`;
}
