// Finds sessions by words, each with the turn and the text that match.
import { userSettings } from "../config/load.ts";
import { nothingFound, usageError } from "../core/error.ts";
import { prepareQuery } from "../core/query.ts";
import { CONCEPTS, OBSERVATION_TYPES } from "../core/memory.ts";
import { ago, oneLine } from "../core/text.ts";
import { iso, localDay } from "../core/time.ts";
import { columns, fit } from "../platform/terminal/layout.ts";
import { dim, heading, paint } from "../platform/terminal/style.ts";
import {
  FIND_KINDS,
  type Finding,
  type FindKind,
  findSessions,
  ROLE_NAMES,
  ROLES,
} from "../recall/search/find-sessions.ts";
import { updateSearchIndex } from "../store/fts/search-index.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import { embedSearchWords } from "./embedding-cache.ts";
import { defineQuery } from "./query.ts";
import { countOf, jsonOf, listOf, defineNames, schemaOf, textOrNull, timeOrNull, whereOf } from "./schemas.ts";
import { LIMIT, readScope, SCOPE } from "./scope.ts";
import { shortIdsOf } from "./session-text.ts";

const FINDING = defineNames({
  text: ["session_id", "agent", "project", "item"],
  textOrNull: ["title", "branch"],
  time: ["started_at", "at"],
  int: ["prompt_number"],
  number: ["score"],
});

export const search = defineQuery({
  name: "search",
  about: "find past sessions by keywords and meaning",
  fields: {
    q: {
      kind: "text",
      position: "<words...>",
      aliases: ["query"],
      required: true,
      about: "the words; in quotation marks: an exact phrase",
    },
    kind: { kind: "text", value: "kind", choices: FIND_KINDS, about: "search only in" },
    role: { kind: "text", value: "role", choices: ROLE_NAMES, about: "search only the words of" },
    type: {
      kind: "text",
      value: "type",
      choices: OBSERVATION_TYPES,
      about: "only sessions with an observation of this type",
    },
    concept: {
      kind: "text",
      value: "concept",
      choices: CONCEPTS,
      about: "only sessions with an observation of this concept",
    },
    file: { kind: "text", value: "path", about: "only sessions that touched this file" },
    session: {
      kind: "text",
      value: "id",
      values: "sessions",
      about: "only this session, by its id or the start of it",
    },
    typing: { kind: "flag", only: "http", about: "the last word may be half typed" },
    ...SCOPE,
    ...LIMIT,
  },
  http: { path: "/api/search", tag: "search" },
  reply: (z) => ({
    data: listOf(
      z,
      z.strictObject({
        ...schemaOf(z, FINDING),
        kind: z.enum(FIND_KINDS),
        role: z.enum(["user", "assistant", "tool"]).nullable(),
        path: textOrNull(z).meta({ description: "the path of a file; null for other kinds" }),
        snippet: z.string(),
        marks: z
          .array(z.tuple([countOf(z), countOf(z)]))
          .meta({ description: "what to highlight in the snippet: [from, to)" }),
        open: z.string().meta({ description: "the command that shows the result" }),
      }),
    ),
    meta: z.strictObject({
      ...schemaOf(z, { text: ["query"], textOrNull: ["kind", "hint"], texts: ["words"], number: ["ms"] }),
      rung: z
        .enum(["phrase", "words", "prefix", "typo", "meaning"])
        .meta({ description: "how the words matched: the first of these that found something" }),
      where: whereOf(z),
      lanes: z.array(z.string()).meta({ description: "the indexes that were searched" }),
      degraded: textOrNull(z).meta({ description: "why semantic search did not run, or only in part" }),
      corpus: z.strictObject({ model: textOrNull(z), vectors: countOf(z), not_embedded: countOf(z) }),
      searched: z.array(z.strictObject({ lane: z.string(), words: z.array(z.string()), since: timeOrNull(z) })),
    }),
  }),
  async run({ q, role, type, concept, file, session, typing, ...input }, context) {
    const { db, paths, env } = context;
    if (q.trim() === "") throw usageError("The words are missing.", "c-mem search <words>");
    const kind = kindOf(input.kind, role);
    updateSearchIndex(db, context.indexing);
    const settings = userSettings(paths, env);
    const { scope, where, anywhere } = readScope(input, context);
    const start = performance.now();
    const semantic = await embedSearchWords(context, q, scope.projectId);
    const { findings, words, rung, searched } = findSessions(db, q, {
      scope: { ...scope, type, concept, file: file?.replace(/^(?:\.?\/)+/, ""), session },
      limit: input.limit ?? settings.searchLimit,
      kind,
      meaning: semantic.meaning,
      isTyping: typing,
      snippetChars: settings.searchSnippetChars,
    });
    const ms = Math.round((performance.now() - start) * 10) / 10;
    const { degraded = null, hint = null, model, vectors, waiting } = semantic;
    if (findings.length === 0) {
      throw nothingFound(
        `No session in ${anywhere} matches "${oneLine(q, 80)}".`,
        [
          scope.projectId === undefined ? "Try other words." : "Try other words, or --all for every project.",
          ...(semantic.meaning === undefined ? [`Used ${degraded}. ${hint ?? ""}`.trim()] : []),
        ].join(" "),
      );
    }
    const meta = {
      query: q,
      kind: kind ?? null,
      rung,
      words,
      where,
      lanes: indexesSearched(kind, {
        meaning: semantic.meaning !== undefined,
        thinking: searched.some(({ lane }) => lane === "thinking"),
      }),
      degraded,
      hint,
      corpus: { model, vectors, not_embedded: waiting },
      searched: searched.map(({ since, ...lane }) => ({ ...lane, since: iso(since) })),
      ms,
    };
    const since = Math.max(...searched.map((lane) => lane.since ?? 0));
    return { data: { results: findings.map(findingJson) }, meta, since, isBroken: semantic.isBroken };
  },
  text({ data: { results }, meta: { query, rung, words, degraded, hint }, since, isBroken }, { db, header }) {
    const hasPhrase = prepareQuery(query).phrases.length > 0;
    if (rung === "typo") header(`No exact match. Showing results for: ${words.join(", ")}`);
    else if (hasPhrase && rung !== "phrase") header("No session has the exact phrase. Showing results for its words.");
    if (since > 0) header(`Common words were searched only since ${localDay(since)}.`);
    // A missing model is reported by `status`, not by every search.
    if (isBroken) header(`Used ${degraded}. ${hint ?? ""}`.trim());
    const shortId = shortIdsOf(db, results);
    return results.map((finding) => findingText(finding, shortId)).join("\n");
  },
});

function indexesSearched(kind: FindKind | undefined, used: { meaning: boolean; thinking: boolean }): string[] {
  if (kind === "session") return ["names"];
  if (kind === "file") return ["files"];
  if (kind === "thinking") return ["thinking"];
  if (kind !== undefined) return [kind === "tool" ? "work" : "talk"];
  return ["talk", "work", "files", ...(used.meaning ? ["meaning"] : []), ...(used.thinking ? ["thinking"] : [])];
}

/** A role is another name for a kind: the user's words are prompts, the assistant's are messages. */
function kindOf(kind: FindKind | undefined, role: (typeof ROLE_NAMES)[number] | undefined): FindKind | undefined {
  if (role === undefined || role === "all") return kind;
  if (kind === undefined || kind === ROLES[role]) return ROLES[role];
  throw usageError(
    `--kind ${kind} and --role ${role} exclude each other.`,
    `--role ${role} searches --kind ${ROLES[role]}: give one of them.`,
  );
}

type FindingJson = ReturnType<typeof findingJson>;

function findingJson({ session, score, promptNumber, at, kind, role, item, path, snippet }: Finding) {
  return {
    ...jsonOf(FINDING, {
      ...session,
      branch: session.git_branch,
      at,
      item,
      prompt_number: promptNumber,
      score: Math.round(score * 100) / 100,
    }),
    kind,
    role,
    path: path ?? null,
    snippet: snippet.text,
    marks: snippet.marks,
    open: openCommand(session.session_id, promptNumber, kind),
  };
}

function openCommand(id: string, turn: number, kind: FindKind): string {
  const options = (turn > 0 ? ` --turn ${turn}` : "") + (kind === "thinking" ? " --thinking" : "");
  return `c-mem show${options} ${id.startsWith("-") ? "-- " : ""}${id}`;
}

function findingText(finding: FindingJson, shortId: ShortId): string {
  const { project, agent, at, kind } = finding;
  const where = `${project}, ${agent}, ${ago(Date.parse(at), Date.now())}`;
  const title = fit(finding.title ?? "(untitled)", Math.min(90, Math.max(30, columns() - where.length - 2)));
  const open = openCommand(shortId(finding.session_id), finding.prompt_number, kind);
  return `${heading(title)}  ${dim(where)}\n  ${dim(`${kind}:`)} ${highlight(finding)}\n  ${dim(open)}\n`;
}

function highlight({ snippet, marks }: Pick<FindingJson, "snippet" | "marks">): string {
  let out = "";
  let from = 0;
  for (const [start, end] of marks) {
    out += snippet.slice(from, start) + paint("yellow", snippet.slice(start, end));
    from = end;
  }
  return out + snippet.slice(from);
}
