// What happened before and after a session or an item, across sessions.
import { AppError } from "../core/error.ts";
import { errorLine } from "../core/error-text.ts";
import { iso } from "../core/time.ts";
import { MAX_LINKS_MS, updateLinks } from "../memory/link/update-links.ts";
import { resolveSession } from "../recall/find-session.ts";
import { latestTurns, timelineAround, type TimelineTurn } from "../recall/timeline.ts";
import { type Asked, questionOf } from "./asked.ts";
import type { Answer, Json } from "./envelope.ts";
import { positiveInteger, readRange } from "./scope.ts";

const DEFAULT_DEPTH = 5;

/** `anchor` is a session, an item of one, or words from one; empty: the latest turns. */
export function answerTimeline(asked: Asked, anchor: string): Answer & { turns: TimelineTurn[] } {
  const { db, flags } = asked;
  updateLinks(db, { maxMs: MAX_LINKS_MS });
  const depth = flags["depth"] === undefined ? DEFAULT_DEPTH : positiveInteger("--depth", flags["depth"]);
  const turns = choose(asked, anchor, depth);
  if (turns.length === 0) {
    throw new AppError("nothing_found", "Nothing happened here yet.", {
      hint: "Use --all for every project, or `c-mem sync` to bring in earlier sessions.",
    });
  }
  return { data: { results: turns.map(turnJson) }, meta: { depth }, turns };
}

function choose(asked: Asked, name: string, depth: number): TimelineTurn[] {
  const { db, flags } = asked;
  const scopeAsked = () => questionOf(asked, 1).scope;
  if (name.trim() === "") return latestTurns(db, scopeAsked(), depth);
  const anchor = resolveSession(db, name, scopeAsked, { words: true });
  // Unless told otherwise, the neighbours are those of the anchor's own project, wherever one stands.
  const isTold = flags["all"] === true || flags["project"] !== undefined;
  const scope = isTold ? scopeAsked() : { projectId: anchor.session.project_id, ...readRange(flags, db) };
  return timelineAround(db, anchor, scope, { before: depth, after: depth });
}

function turnJson(turn: TimelineTurn): Json {
  return {
    id: `p${turn.id}`,
    session_id: turn.session_id,
    agent: turn.agent,
    project: turn.project,
    title: turn.title,
    turn: turn.prompt_number,
    prompt: turn.text,
    at: iso(turn.created_at),
    ended_at: iso(turn.ended_at),
    is_anchor: turn.isAnchor,
    continues: turn.continues,
    files: turn.files.map(({ path, created, added, removed }) => ({ path, created: created === 1, added, removed })),
    commits: turn.commits.map(({ sha, subject }) => ({ sha, subject })),
    failed: turn.failed.map(({ id, command, exit_code, output }) => ({
      id: `t${id}`,
      command,
      exit_code,
      error: errorLine(output ?? ""),
    })),
  };
}
