// Answers a search: the sessions that fit, each with the turn and the words that show why.
import type { Db } from "../store/driver.ts";
import { filteredSessions, type SessionFilter, turnsWithin } from "../store/session-filter.ts";
import { type SessionEntry, sessionsByIds } from "../store/session-list.ts";
import { toolText, turnTexts } from "../store/turns.ts";
import type { Searched } from "./gather.ts";
import type { Meaning } from "./meaning.ts";
import type { SessionHit } from "./rank.ts";
import { nameText, searchNames } from "./search-names.ts";
import { type Rung, SEARCH_KINDS, type SearchAnswer, type SearchKind, searchSessions } from "./search.ts";
import { distinctWords, makeSnippet, type Snippet } from "./snippet.ts";

export interface Finding {
  session: SessionEntry;
  score: number;
  promptNumber: number;
  at: number;
  /** What was found: the prompt, an answer, a tool use, or the session by its name. */
  kind: "prompt" | "message" | "tool" | "session";
  /** Who said it; a session's name nobody did. */
  role: Role | null;
  /** To be passed on: p12, m34, t56; a session's own id. */
  item: string;
  snippet: Snippet;
}

const SNIPPET_CHARS = 220;

export const FIND_KINDS = [...SEARCH_KINDS, "session"] as const;
export type FindKind = (typeof FIND_KINDS)[number];

/** Who speaks, and what of theirs is searched. */
export const ROLES = { user: "prompt", assistant: "message", tool: "tool" } as const;
export type Role = keyof typeof ROLES;

export interface FindOptions {
  scope: SessionFilter;
  limit: number;
  kind?: FindKind | undefined;
  isTyping?: boolean;
  meaning?: Meaning | undefined;
}

export function findSessions(
  db: Db,
  text: string,
  options: FindOptions,
): { findings: Finding[]; words: string[]; rung: Rung; searched: Searched[] } {
  const { kind } = options;
  const { hits, rung, words, searched } =
    kind === "session" ? searchNames(db, text, options) : search(db, text, { ...options, kind });
  const entries = new Map(
    sessionsByIds(
      db,
      hits.map((hit) => hit.session),
    ).map((entry) => [entry.id, entry]),
  );
  const findings = hits.flatMap((hit) => {
    const session = entries.get(hit.session);
    return session === undefined
      ? []
      : [kind === "session" ? describeName(session, hit, words) : describe(db, session, hit, words, kind)];
  });
  return { findings, words, rung, searched };
}

function search(db: Db, text: string, options: FindOptions & { kind: SearchKind | undefined }): SearchAnswer {
  const fitting = filteredSessions(db, options.scope);
  const acceptTurn = turnsWithin(db, options.scope);
  return searchSessions(db, text, {
    limit: options.limit,
    isTyping: options.isTyping ?? false,
    meaning: options.meaning,
    ...(options.kind !== undefined && { kind: options.kind }),
    ...(options.scope.projectId !== undefined && { project: options.scope.projectId }),
    ...(options.scope.since !== undefined && { since: options.scope.since }),
    ...(options.scope.before !== undefined && { before: options.scope.before }),
    // None of it is in the indexes: the sessions that fit are looked up first.
    ...(fitting !== undefined && { accept: (session: number) => fitting.has(session) }),
    ...(acceptTurn !== undefined && { acceptTurn }),
  });
}

function describeName(session: SessionEntry, { score }: SessionHit, words: readonly string[]): Finding {
  return {
    session,
    score,
    promptNumber: 0,
    at: session.last_at,
    kind: "session",
    role: null,
    item: session.session_id,
    snippet: makeSnippet(nameText(session), words, SNIPPET_CHARS),
  };
}

const SPEAKERS = { prompt: "user", message: "assistant", tool: "tool" } as const;

interface Candidate {
  kind: "prompt" | "message" | "tool";
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
  const place = kind === "file" ? "tool" : kind;
  const wanted = candidates.filter((candidate) => candidate.kind === place);
  const shown = (wanted.length > 0 ? wanted : candidates).reduce((a, b) =>
    distinctWords(b.text, words) > distinctWords(a.text, words) ? b : a,
  );
  return {
    session,
    score: hit.score,
    promptNumber,
    at: prompt?.created_at ?? tool?.created_at ?? session.last_at,
    kind: shown.kind,
    role: SPEAKERS[shown.kind],
    item: shown.item,
    snippet: makeSnippet(shown.text, words, SNIPPET_CHARS),
  };
}
