// Runs the searches of the interactive search: lists the newest sessions, or finds the matching ones.
import { embedSearchWords } from "../../queries/embedding-cache.ts";
import type { QueryContext } from "../../queries/query.ts";
import { oneLine } from "../../core/text.ts";
import { findSessions } from "../../recall/search/find-sessions.ts";
import type { SemanticQuery } from "../../recall/search/semantic.ts";
import type { Db } from "../../store/db/driver.ts";
import type { Scope } from "../../store/reads/scope.ts";
import { listSessions } from "../../store/reads/session-list.ts";
import { turnTexts } from "../../store/reads/items.ts";
import type { FoundBy, Question, Result } from "./state.ts";
import type { Preview } from "./view.ts";

const MAX_NEWEST = 200;
/** Reading the texts of 30 results takes about 30 ms. */
const MAX_FOUND = 30;
const PREVIEW_CHARS = 220;
const DAY_MS = 86_400_000;

export interface Searcher {
  search(question: Question): Result[];
  /** Keyword and semantic search, which is slower; undefined without a query or an embedding model. */
  searchSemantic(question: Question): Promise<{ results: Result[]; by: FoundBy } | undefined>;
  /** The snippet shown below the list for the selected result. */
  preview(result: Result): Preview;
}

export function createSearcher(
  context: Pick<QueryContext, "db" | "paths" | "env" | "embeddings">,
  projectId: number | undefined,
): Searcher {
  const { db } = context;
  const previews = new WeakMap<Result, Preview>();
  const find = (question: Question, meaning?: SemanticQuery): Result[] => {
    const scope = scopeOf(question, projectId, Date.now());
    const { findings } = findSessions(db, question.query, { scope, limit: MAX_FOUND, isTyping: true, meaning });
    return findings.map(({ session, at, promptNumber, kind, snippet }) => {
      const result = { session, at, promptNumber };
      previews.set(result, { kind, snippet });
      return result;
    });
  };
  return {
    search(question) {
      if (question.query.trim() !== "") return find(question);
      const scope = scopeOf(question, projectId, Date.now());
      return listSessions(db, scope, MAX_NEWEST).map((session) => ({ session, at: session.last_at }));
    },
    async searchSemantic(question) {
      if (question.query.trim() === "") return undefined;
      const { meaning, isBroken } = await embedSearchWords(
        context,
        question.query,
        question.here ? projectId : undefined,
      );
      if (meaning !== undefined) return { results: find(question, meaning), by: "meaning" };
      return isBroken ? { results: find(question), by: "no meaning" } : undefined;
    },
    preview(result) {
      const known = previews.get(result) ?? lastPrompt(db, result);
      previews.set(result, known);
      return known;
    },
  };
}

function scopeOf({ here, agent, days }: Question, projectId: number | undefined, now: number): Scope {
  return {
    projectId: here ? projectId : undefined,
    agent,
    since: days === undefined ? undefined : now - days * DAY_MS,
  };
}

function lastPrompt(db: Db, { session }: Result): Preview {
  const { prompt } = turnTexts(db, session.id, session.prompt_count);
  const text = prompt?.text ?? session.subtitle ?? session.title ?? "";
  return { kind: "last prompt", snippet: { text: oneLine(text, PREVIEW_CHARS), marks: [] } };
}
