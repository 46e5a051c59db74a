// Finds the sessions that match a search, each with its best turn and a snippet.
import type { Db } from "../../store/db/driver.ts";
import type { FileHit } from "../../store/fts/fts-index.ts";
import { filteredSessions, type SessionFilter, turnsWithin } from "../../store/reads/session-filter.ts";
import { type SessionEntry, sessionsByIds } from "../../store/reads/session-list.ts";
import { thinkingOf, turnTexts } from "../../store/reads/items.ts";
import { toolUsesByIds } from "../../store/tables/tool-uses.ts";
import { SEARCH_KINDS, type SearchAnswer, type SearchOptions, searchSessions } from "./search.ts";
import { nameText, searchNames } from "./search-names.ts";
import type { RankedSession, TurnHit } from "./session-hits.ts";
import { countWords, makeSnippet, type Snippet } from "./snippet.ts";

export interface Finding {
  session: SessionEntry;
  score: number;
  promptNumber: number;
  at: number;
  kind: FindKind;
  /** Null if a file or the session's name matched. */
  role: Role | null;
  /** "p12", "m34", "t56" or a session id. For a file: the last tool use that touched it. */
  item: string;
  /** Set only if a file matched. */
  path?: string;
  snippet: Snippet;
}

const SNIPPET_CHARS = 220;
/** Long enough to show every path whole. */
const MAX_PATH_CHARS = 4_096;

export const FIND_KINDS = [...SEARCH_KINDS, "session"] as const;
export type FindKind = (typeof FIND_KINDS)[number];

/** The values of `--role`, each with the `--kind` that it stands for. */
export const ROLES = { user: "prompt", assistant: "message", tool: "tool" } as const;
export type Role = keyof typeof ROLES;
export const ROLE_NAMES = [...(Object.keys(ROLES) as Role[]), "all"] as const;

export interface FindOptions extends Pick<SearchOptions, "limit" | "isTyping" | "meaning"> {
  scope: SessionFilter;
  kind?: FindKind | undefined;
  snippetChars?: number;
}

interface Match {
  session: SessionEntry;
  hit: RankedSession;
}

export function findSessions(
  db: Db,
  text: string,
  options: FindOptions,
): Omit<SearchAnswer, "hits"> & { findings: Finding[] } {
  const { kind, limit, scope, isTyping, meaning, snippetChars = SNIPPET_CHARS } = options;
  const search = (): SearchAnswer => {
    if (kind === "session") return searchNames(db, text, options);
    const { projectId: project, since, before } = scope;
    // The indexes cannot filter by agent, type or file: find the sessions that pass first.
    const fitting = filteredSessions(db, scope);
    const accept = fitting && ((session: number) => fitting.has(session));
    const acceptTurn = turnsWithin(db, scope);
    return searchSessions(db, text, { limit, isTyping, meaning, kind, project, since, before, accept, acceptTurn });
  };
  const { hits, ...how } = search();
  const bySession = new Map(hits.map((hit) => [hit.session, hit]));
  const sessions = sessionsByIds(db, [...bySession.keys()]);
  const matches = sessions.map((session) => ({ session, hit: bySession.get(session.id) as RankedSession }));
  const snippetOf = (source: string): Snippet => makeSnippet(source, how.words, snippetChars);
  if (kind === "file") return { ...how, findings: fileFindings(matches, how.words, limit) };
  const findings = matches.map(({ session, hit: { score, turns } }): Finding => {
    if (kind !== "session") {
      const { text: source, ...shown } = bestText(db, session, turns[0], how.words, kind);
      return { session, score, ...shown, role: KIND_ROLES[shown.kind], snippet: snippetOf(source) };
    }
    const { session_id: item, last_at: at } = session;
    return { session, score, promptNumber: 0, at, kind, role: null, item, snippet: snippetOf(nameText(session)) };
  });
  return { ...how, findings };
}

/** Lists the best file of each session, then other files, then files already listed for another session. */
function fileFindings(matches: readonly Match[], words: readonly string[], limit: number): Finding[] {
  const withFile = (match: Match, files: readonly FileHit[]) => files.map((file) => ({ ...match, file }));
  const first = matches.flatMap((match) => withFile(match, match.hit.files.slice(0, 1)));
  const rest = matches.flatMap((match) => withFile(match, match.hit.files.slice(1)));
  const listed = new Set(first.map(({ file }) => file.path));
  const others = rest.filter(({ file }) => !listed.has(file.path) && Boolean(listed.add(file.path)));
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

const KIND_ROLES = { prompt: "user", message: "assistant", thinking: "assistant", tool: "tool" } as const;

interface TurnText {
  kind: keyof typeof KIND_ROLES;
  item: string;
  text: string;
}

/** Of the turn's texts, the one with the most words of the query. Prefers texts of the given kind. */
function bestText(
  db: Db,
  session: SessionEntry,
  { promptNumber = 0, toolUse, message }: Partial<TurnHit> = {},
  words: readonly string[],
  kind: FindKind | undefined,
): TurnText & { promptNumber: number; at: number } {
  const { prompt, messages } = turnTexts(db, session.id, promptNumber);
  const promptItem = `p${prompt?.id ?? 0}`;
  const [tool] = toolUse === undefined ? [] : toolUsesByIds(db, [toolUse]);
  const thinking = message === undefined ? undefined : thinkingOf(db, message);
  const texts: TurnText[] = [{ kind: "prompt", item: promptItem, text: prompt?.text ?? session.title ?? "" }];
  for (const { id, text } of messages) texts.push({ kind: "message", item: `m${id}`, text });
  if (messages.length === 0 && prompt?.response)
    texts.push({ kind: "message", item: promptItem, text: prompt.response });
  if (tool !== undefined)
    texts.push({ kind: "tool", item: `t${tool.id}`, text: `${tool.name} ${tool.input} ${tool.output ?? ""}` });
  if (thinking !== undefined) texts.push({ kind: "thinking", item: `m${message}`, text: thinking });
  const ofKind = texts.filter((text) => text.kind === kind);
  const best = (ofKind.length > 0 ? ofKind : texts).reduce((a, b) =>
    countWords(b.text, words) > countWords(a.text, words) ? b : a,
  );
  return { ...best, promptNumber, at: prompt?.created_at ?? tool?.created_at ?? session.last_at };
}
