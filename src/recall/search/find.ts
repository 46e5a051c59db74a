// Answers a search: the sessions that fit, each with the turn and the words that show why.
import type { Db } from "../../store/db/driver.ts";
import type { FileHit } from "../../store/fts/fts-index.ts";
import { filteredSessions, type SessionFilter, turnsWithin } from "../../store/reads/session-filter.ts";
import { type SessionEntry, sessionsByIds } from "../../store/reads/session-list.ts";
import { thinkingOf, toolText, turnTexts } from "../../store/reads/turns.ts";
import type { Searched } from "./gather.ts";
import type { Meaning } from "./semantic.ts";
import type { SessionHit } from "./rank.ts";
import { nameText, searchNames } from "./search-names.ts";
import { type Rung, SEARCH_KINDS, type SearchAnswer, type SearchKind, searchSessions } from "./search.ts";
import { distinctWords, makeSnippet, type Snippet } from "./snippet.ts";

export interface Finding {
  session: SessionEntry;
  score: number;
  promptNumber: number;
  at: number;
  kind: FindKind;
  /** Who said it; null for a file and for a session's name. */
  role: Role | null;
  /** An id to pass on: p12, m34, t56, or a session's own id. For a file, the tool use that touched it last. */
  item: string;
  /** Set for a file. */
  path?: string;
  snippet: Snippet;
}

const SNIPPET_CHARS = 220;
/** Paths are shown whole. */
const MAX_PATH_CHARS = 4_096;

export const FIND_KINDS = [...SEARCH_KINDS, "session"] as const;
export type FindKind = (typeof FIND_KINDS)[number];

/** Who speaks, and what of theirs is searched. */
export const ROLES = { user: "prompt", assistant: "message", tool: "tool" } as const;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = [...(Object.keys(ROLES) as Role[]), "all"] as const;

export interface FindOptions {
  scope: SessionFilter;
  limit: number;
  kind?: FindKind | undefined;
  isTyping?: boolean;
  meaning?: Meaning | undefined;
  snippetChars?: number;
}

export function findSessions(
  db: Db,
  text: string,
  options: FindOptions,
): { findings: Finding[]; words: string[]; rung: Rung; searched: Searched[] } {
  const { kind, snippetChars = SNIPPET_CHARS } = options;
  const { hits, rung, words, searched } =
    kind === "session" ? searchNames(db, text, options) : search(db, text, { ...options, kind });
  const entries = new Map(
    sessionsByIds(
      db,
      hits.map((hit) => hit.session),
    ).map((entry) => [entry.id, entry]),
  );
  const known = hits.flatMap((hit) => {
    const session = entries.get(hit.session);
    return session === undefined ? [] : [{ session, hit }];
  });
  if (kind === "file") return { findings: filesOf(known, words, options.limit), words, rung, searched };
  const findings = known.map(({ session, hit }) =>
    kind === "session"
      ? describeName(session, hit, words, snippetChars)
      : describe(db, session, hit, words, { kind, snippetChars }),
  );
  return { findings, words, rung, searched };
}

/**
 * One finding for each file of each session. Each session's best file comes first, then other files, then other
 * sessions that touched a file already listed.
 */
function filesOf(
  known: readonly { session: SessionEntry; hit: SessionHit }[],
  words: readonly string[],
  limit: number,
): Finding[] {
  const first = known.flatMap((found) => found.hit.files.slice(0, 1).map((file) => ({ ...found, file })));
  const rest = known.flatMap((found) => found.hit.files.slice(1).map((file) => ({ ...found, file })));
  const listed = new Set(first.map(({ file }) => file.path));
  const isNew = ({ file }: { file: FileHit }): boolean => !listed.has(file.path) && Boolean(listed.add(file.path));
  const others = rest.filter(isNew);
  const again = rest.filter((one) => !others.includes(one));
  return [...first, ...others, ...again].slice(0, limit).map(({ session, hit, file }) => ({
    session,
    score: hit.score,
    promptNumber: file.promptNumber,
    at: file.at,
    kind: "file",
    role: null,
    item: `t${file.toolUse}`,
    path: file.path,
    snippet: makeSnippet(file.path, words, MAX_PATH_CHARS),
  }));
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

function describeName(
  session: SessionEntry,
  { score }: SessionHit,
  words: readonly string[],
  snippetChars: number,
): Finding {
  return {
    session,
    score,
    promptNumber: 0,
    at: session.last_at,
    kind: "session",
    role: null,
    item: session.session_id,
    snippet: makeSnippet(nameText(session), words, snippetChars),
  };
}

const SPEAKERS = { prompt: "user", message: "assistant", thinking: "assistant", tool: "tool" } as const;

interface Candidate {
  kind: "prompt" | "message" | "thinking" | "tool";
  item: string;
  text: string;
}

function describe(
  db: Db,
  session: SessionEntry,
  hit: SessionHit,
  words: readonly string[],
  { kind, snippetChars }: { kind: SearchKind | undefined; snippetChars: number },
): Finding {
  const best = hit.turns[0];
  const promptNumber = best?.promptNumber ?? 0;
  const { prompt, messages, response } = turnTexts(db, session.id, promptNumber);
  const tool = best?.toolUse === undefined ? undefined : toolText(db, best.toolUse);
  const thinking = best?.message === undefined ? undefined : thinkingOf(db, best.message);
  const candidates: Candidate[] = [
    { kind: "prompt", item: `p${prompt?.id ?? 0}`, text: prompt?.text ?? session.title ?? "" },
    ...messages.map(({ id, text }): Candidate => ({ kind: "message", item: `m${id}`, text })),
    ...(messages.length === 0 && response
      ? [{ kind: "message" as const, item: `p${prompt?.id ?? 0}`, text: response }]
      : []),
    ...(tool === undefined
      ? []
      : [{ kind: "tool" as const, item: `t${tool.id}`, text: `${tool.name} ${tool.input} ${tool.output ?? ""}` }]),
    ...(thinking === undefined ? [] : [{ kind: "thinking" as const, item: `m${best?.message}`, text: thinking }]),
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
    role: SPEAKERS[shown.kind],
    item: shown.item,
    snippet: makeSnippet(shown.text, words, snippetChars),
  };
}
