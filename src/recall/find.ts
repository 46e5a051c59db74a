// Answers a search: the sessions that fit, each with the turn and the words that show why.
import type { Db } from "../store/driver.ts";
import { type Scope, scopeCondition } from "../store/scope.ts";
import { type SessionEntry, sessionsByIds } from "../store/session-list.ts";
import { toolText, turnTexts } from "../store/turns.ts";
import { type Rung, type SearchKind, searchSessions, type SessionHit } from "./search.ts";
import { distinctWords, makeSnippet, type Snippet } from "./snippet.ts";

export interface Finding {
  session: SessionEntry;
  score: number;
  promptNumber: number;
  at: number;
  /** What was found: the prompt, an answer, or a tool use. */
  kind: "prompt" | "message" | "tool";
  /** To be passed on: p12, m34, t56. */
  item: string;
  snippet: Snippet;
}

const SNIPPET_CHARS = 220;

export function findSessions(
  db: Db,
  text: string,
  options: { scope: Scope; limit: number; kind?: SearchKind | undefined; isTyping?: boolean },
): { findings: Finding[]; words: string[]; rung: Rung } {
  const { hits, rung, words } = searchSessions(db, text, {
    limit: options.limit,
    isTyping: options.isTyping ?? false,
    ...(options.kind !== undefined && { kind: options.kind }),
    ...(options.scope.projectId !== undefined && { project: options.scope.projectId }),
    ...acceptOf(db, options.scope),
  });
  const entries = new Map(
    sessionsByIds(
      db,
      hits.map((hit) => hit.session),
    ).map((entry) => [entry.id, entry]),
  );
  const findings = hits.flatMap((hit) => {
    const session = entries.get(hit.session);
    return session === undefined ? [] : [describe(db, session, hit, words, options.kind)];
  });
  return { findings, words, rung };
}

/** Agent and time are not in the index: the sessions that fit are looked up first. */
function acceptOf(db: Db, scope: Scope): { accept?: (session: number) => boolean } {
  if (scope.agent === undefined && scope.since === undefined && scope.before === undefined) return {};
  const { sql, params } = scopeCondition(scope);
  const ids = new Set(
    db.all<{ id: number }>(`SELECT s.id FROM sessions s WHERE ${sql}`, ...params).map((row) => row.id),
  );
  return { accept: (session) => ids.has(session) };
}

interface Candidate {
  kind: Finding["kind"];
  item: string;
  text: string;
}

function describe(
  db: Db,
  session: SessionEntry,
  hit: SessionHit,
  words: readonly string[],
  kind: SearchKind | undefined,
): Finding {
  const best = hit.turns[0];
  const promptNumber = best?.promptNumber ?? 0;
  const { prompt, messages, response } = turnTexts(db, session.id, promptNumber);
  const tool = best?.toolUse === undefined ? undefined : toolText(db, best.toolUse);
  const candidates: Candidate[] = [
    { kind: "prompt", item: `p${prompt?.id ?? 0}`, text: prompt?.text ?? session.title ?? "" },
    ...messages.map(({ id, text }): Candidate => ({ kind: "message", item: `m${id}`, text })),
    ...(messages.length === 0 && response
      ? [{ kind: "message" as const, item: `p${prompt?.id ?? 0}`, text: response }]
      : []),
    ...(tool === undefined
      ? []
      : [{ kind: "tool" as const, item: `t${tool.id}`, text: `${tool.name} ${tool.input} ${tool.output ?? ""}` }]),
  ];
  // The text with the most of the asked words; the earlier one where they have as many.
  const wanted = candidates.filter((candidate) => candidate.kind === kind);
  const shown = (wanted.length > 0 ? wanted : candidates).reduce((a, b) =>
    distinctWords(b.text, words) > distinctWords(a.text, words) ? b : a,
  );
  return {
    session,
    score: hit.score,
    promptNumber,
    at: prompt?.created_at ?? tool?.created_at ?? session.last_at,
    kind: shown.kind,
    item: shown.item,
    snippet: makeSnippet(shown.text, words, SNIPPET_CHARS),
  };
}
