// What happened before and after a session or an item, across sessions.
import { AppError } from "../core/error.ts";
import { errorLine } from "../core/error-text.ts";
import { iso } from "../core/time.ts";
import { MAX_LINKS_MS, updateLinks } from "../memory/relate/update-links.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import { type Depth, latestTurns, timelineAround, type TimelineTurn } from "../recall/history/timeline.ts";
import type { TurnScope } from "../store/reads/timeline.ts";
import { type Asked, questionOf } from "./legacy.ts";
import type { Answer, Json } from "./envelope.ts";
import { readType } from "./observation-flags.ts";
import { readRange } from "./scope.ts";
import { positiveInteger, wholeNumber } from "./legacy.ts";

const DEFAULT_DEPTH = 5;

/** `anchor` is a session, an item of one, or words from one; empty: the latest turns. */
export function answerTimeline(asked: Asked, anchor: string): Answer & { turns: TimelineTurn[] } {
  const { db, flags } = asked;
  updateLinks(db, { maxMs: MAX_LINKS_MS });
  const depth = readDepth(flags);
  const turns = choose(asked, anchor, depth);
  if (turns.length === 0) {
    const type = flags["type"];
    const what =
      type === undefined ? "Nothing happened here yet." : `No turn here has an observation of type ${String(type)}.`;
    throw new AppError("nothing_found", what, {
      hint: "Use --all for every project, or `c-mem sync` to bring in earlier sessions.",
    });
  }
  return {
    data: { results: turns.map(turnJson) },
    meta: { depth: Math.max(depth.before, depth.after), depth_before: depth.before, depth_after: depth.after },
    turns,
  };
}

function readDepth(flags: Json): Depth {
  const each = flags["depth"] === undefined ? DEFAULT_DEPTH : positiveInteger("--depth", flags["depth"]);
  const side = (name: string): number => (flags[name] === undefined ? each : wholeNumber(name, flags[name]));
  return { before: side("depth_before"), after: side("depth_after") };
}

function choose(asked: Asked, name: string, depth: Depth): TimelineTurn[] {
  const { db, flags } = asked;
  const type = readType(flags["type"]);
  const scopeAsked = (): TurnScope => ({ ...questionOf(asked, 1).scope, type });
  if (name.trim() === "") return latestTurns(db, scopeAsked(), depth.before);
  const anchor = resolveSession(db, name, scopeAsked, { words: true });
  // Unless told otherwise, the neighbours are those of the anchor's own project, wherever one stands.
  const isTold = flags["all"] === true || flags["project"] !== undefined;
  const scope = isTold ? scopeAsked() : { projectId: anchor.session.project_id, ...readRange(flags, db), type };
  return timelineAround(db, anchor, scope, depth);
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
    status: turn.state,
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
