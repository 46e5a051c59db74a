// The answer to a search: the sessions that fit, and how they were found.
import { loadSettings } from "../config/load.ts";
import { AppError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { iso } from "../core/time.ts";
import {
  FIND_KINDS,
  type Finding,
  type FindKind,
  findSessions,
  ROLE_NAMES,
  ROLES,
} from "../recall/search/find-sessions.ts";
import type { SemanticState } from "../recall/search/semantic.ts";
import { updateSearchIndex } from "../store/fts/search-index.ts";
import type { SessionFilter } from "../store/reads/session-filter.ts";
import { type Asked, questionOf } from "./legacy.ts";
import type { Answer, Json } from "./envelope.ts";
import { meaningOf } from "./semantic.ts";
import { readConcepts, readType } from "./observation-flags.ts";

export interface SearchAnswer extends Answer {
  findings: Finding[];
  rung: string;
  words: string[];
  /** Where the words were so common that only what is newer than this was looked at. */
  since: number;
  state: SemanticState;
}

export async function answerSearch(asked: Asked, query: string): Promise<SearchAnswer> {
  const { db, flags } = asked;
  if (query.trim() === "") throw new AppError("usage", "What shall be searched for?", { hint: "c-mem search <words>" });
  const kind = readKind(flags);
  const filter = readFilter(flags);
  updateSearchIndex(db);
  const settings = loadSettings({ user: asked.paths.config }, asked.env).values;
  const { scope, limit, where } = questionOf(asked, settings.searchLimit);
  const start = performance.now();
  const state = await meaningOf(asked, query, scope.projectId);
  const { meaning, degraded = null } = state;
  const { findings, words, rung, searched } = findSessions(db, query, {
    scope: { ...scope, ...filter },
    limit,
    kind,
    meaning,
    isTyping: flags["typing"] === true,
    snippetChars: settings.searchSnippetChars,
  });
  const ms = Math.round((performance.now() - start) * 10) / 10;
  if (findings.length === 0) {
    throw new AppError("nothing_found", `Nothing in ${where} fits "${oneLine(query, 80)}".`, {
      hint: [
        scope.projectId === undefined ? "Try other words." : "Try other words, or --all for every project.",
        ...(meaning === undefined ? [`Searched by ${degraded}. ${state.hint ?? ""}`.trim()] : []),
      ].join(" "),
    });
  }
  const meta = {
    query,
    kind: kind ?? null,
    rung,
    words,
    where,
    lanes: lanesUsed(kind, {
      meaning: meaning !== undefined,
      thinking: searched.some(({ lane }) => lane === "thinking"),
    }),
    degraded,
    hint: state.hint ?? null,
    corpus: { model: state.model, vectors: state.vectors, not_embedded: state.waiting },
    searched: searched.map(({ since, ...lane }) => ({ ...lane, since: iso(since) })),
    ms,
  };
  const since = Math.max(...searched.map((lane) => lane.since ?? 0));
  return { data: { results: findings.map(findingJson) }, meta, findings, rung, words, since, state };
}

function lanesUsed(kind: FindKind | undefined, asked: { meaning: boolean; thinking: boolean }): string[] {
  if (kind === "session") return ["names"];
  if (kind === "file") return ["files"];
  if (kind === "thinking") return ["thinking"];
  if (kind !== undefined) return [kind === "tool" ? "work" : "talk"];
  return ["talk", "work", "files", ...(asked.meaning ? ["meaning"] : []), ...(asked.thinking ? ["thinking"] : [])];
}

/** What the sessions must have in them. */
function readFilter(flags: Json): SessionFilter {
  const text = (name: string): string | undefined => (flags[name] === undefined ? undefined : String(flags[name]));
  return {
    type: readType(flags["type"]),
    concept: readConcepts(flags["concept"])?.[0],
    file: text("file")?.replace(/^(?:\.?\/)+/, ""),
    session: text("session"),
  };
}

/** A role is another name for a kind: the user's words are prompts, the assistant's are messages. */
function readKind(flags: Json): FindKind | undefined {
  const kind = oneOf("kind", FIND_KINDS, flags["kind"]);
  const role = oneOf("role", ROLE_NAMES, flags["role"]);
  if (role === undefined || role === "all") return kind;
  if (kind === undefined || kind === ROLES[role]) return ROLES[role];
  throw new AppError("usage", `--kind ${kind} and --role ${role} exclude each other.`, {
    hint: `--role ${role} searches --kind ${ROLES[role]}: give one of them.`,
  });
}

function oneOf<T extends string>(name: string, known: readonly T[], flag: unknown): T | undefined {
  const value = known.find((each) => each === flag);
  if (flag === undefined || value !== undefined) return value;
  throw new AppError("usage", `There is no ${name} "${String(flag)}".`, { hint: `One of: ${known.join(", ")}` });
}

function findingJson({ session, score, promptNumber, at, kind, role, item, path, snippet }: Finding): Json {
  return {
    session_id: session.session_id,
    agent: session.agent,
    project: session.project,
    title: session.title,
    branch: session.git_branch,
    started_at: iso(session.started_at),
    at: iso(at),
    prompt_number: promptNumber,
    kind,
    role,
    item,
    path: path ?? null,
    score: Math.round(score * 100) / 100,
    snippet: snippet.text,
    marks: snippet.marks,
    open: openCommand(session.session_id, promptNumber, kind),
  };
}

export function openCommand(id: string, turn: number, kind: FindKind): string {
  const options = (turn > 0 ? ` --turn ${turn}` : "") + (kind === "thinking" ? " --thinking" : "");
  return `c-mem show${options} ${id.startsWith("-") ? "-- " : ""}${id}`;
}
