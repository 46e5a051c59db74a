// What is being worked on, each over as many sessions as it took.
import { AppError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { MAX_LINKS_MS, updateLinks } from "../memory/relate/update-links.ts";
import type { EffortStory } from "../recall/efforts/efforts.ts";
import { type Effort, findEffort, findEfforts, isEffortId } from "../recall/efforts/efforts.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import { sessionsByPrefix } from "../store/reads/session-list.ts";
import { shortId } from "../store/reads/short-ids.ts";
import { type Asked, questionOf } from "./legacy.ts";
import { effortJson } from "./effort-json.ts";
import type { Answer } from "./envelope.ts";
import { effortStories } from "./effort-stories.ts";
import { widerScope } from "./scope.ts";

const LIMIT = 10;

export interface EffortsAnswer extends Answer {
  stories: EffortStory[];
  total: number;
  isOfAllProjects: boolean;
}

export function answerEfforts(asked: Asked): EffortsAnswer {
  const { db } = asked;
  const { scope, limit, where } = questionOf(asked, LIMIT);
  updateLinks(db, { maxMs: MAX_LINKS_MS });
  const found = findEfforts(db, scope);
  if (found.length === 0) {
    throw new AppError("nothing_found", `No two sessions in ${where} go on with each other.`, {
      hint: `${widerScope(scope)}; \`c-mem list\` shows single sessions.`,
    });
  }
  const stories = effortStories(db, found.slice(0, limit));
  return {
    data: { results: stories.map(effortJson) },
    meta: { where, total: found.length, has_more: found.length > limit },
    stories,
    total: found.length,
    isOfAllProjects: scope.projectId === undefined,
  };
}

/** By its id, or by a session in it. */
export function answerEffort(asked: Asked, name: string): Answer & { story: EffortStory } {
  updateLinks(asked.db, { maxMs: MAX_LINKS_MS });
  const [story] = effortStories(asked.db, [choose(asked, name.trim())]) as [EffortStory];
  return { data: effortJson(story), story };
}

function choose(asked: Asked, name: string): Effort {
  const { db } = asked;
  const hint =
    "`c-mem efforts --all` shows every effort, `c-mem related <session>` what else a session has to do with.";
  if (isEffortId(name)) {
    const effort = findEffort(db, { id: name });
    if (effort !== undefined) return effort;
    // A session's id may look the same.
    if (sessionsByPrefix(db, name, 1).length === 0)
      throw new AppError("nothing_found", `No effort "${oneLine(name, 80)}".`, { hint });
  }
  const { session } = resolveSession(db, name, () => questionOf(asked, 1).scope);
  const effort = findEffort(db, { sessionDbId: session.parent_session_db_id ?? session.id });
  if (effort !== undefined) return effort;
  throw new AppError(
    "nothing_found",
    `No session continues ${shortId(db, session.session_id)}, and it continues none.`,
    {
      hint,
    },
  );
}
