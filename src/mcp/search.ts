// search (layer 1): a compact index of matching observations and sessions.
import { AppError, usageError } from "../core/error.ts";
import { OBSERVATION_TYPES } from "../core/memory.ts";
import { count } from "../core/text.ts";
import { localDay } from "../core/time.ts";
import { embedSearchWords } from "../queries/embedding-cache.ts";
import { fields, type InputOf } from "../queries/fields.ts";
import { list } from "../queries/list.ts";
import { copiesText } from "../queries/observation-text.ts";
import { observations } from "../queries/observations.ts";
import type { DataOf } from "../queries/query.ts";
import { search as sessionSearch } from "../queries/search.ts";
import { shortIdsOf, titleText } from "../queries/session-text.ts";
import { FIND_KINDS } from "../recall/search/find-sessions.ts";
import type { Db } from "../store/db/driver.ts";
import { itemRow } from "../store/reads/items.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import { BACKGROUND, footer, fitReply, type ReplyPart, roughTokens } from "./budget.ts";
import { type Answer, tryQuery, type Call, defineTool, MAX_TOKENS, PROJECT, scopeOf, FILTERS } from "./tool.ts";
import { safeLine, pathLine, quotedLine, titleLine, when } from "./text.ts";

const DEFAULT_LIMIT = 10;
const TITLE_CHARS = 120;
const SNIPPET_CHARS = 160;

const FIELDS = fields({
  query: { kind: "text", about: "" },
  ...PROJECT,
  type: { kind: "text", choices: OBSERVATION_TYPES, about: "" },
  kind: { kind: "text", choices: ["observation", ...FIND_KINDS], about: "" },
  file: { kind: "text", about: "only about this path" },
  ...FILTERS,
  limit: { kind: "number", max: 50, clamp: true, about: "default 10" },
  ...MAX_TOKENS,
});

export const search = defineTool({
  name: "search",
  description:
    "Layer 1. Find past decisions, fixes, findings and sessions: a compact index with ids. Without a query: the newest.",
  fields: FIELDS,
  unlisted: ["agent", "limit"],
  annotations: { readOnlyHint: true },
  run: describeMatches,
});

async function describeMatches({ query, ...input }: InputOf<typeof FIELDS>, call: Call): Promise<Answer> {
  // Only observations have a type.
  const kind = input.kind ?? (input.type === undefined ? undefined : "observation");
  if (query === undefined && kind !== undefined && kind !== "observation" && kind !== "session")
    throw usageError(`kind "${kind}" needs a query.`, "Without one, the newest observations and sessions are shown.");
  const { scope, where } = scopeOf(input, call);
  const form: LineForm = { db: call.db, now: call.now, withProject: scope.projectId === undefined };
  const queryInput = {
    ...input,
    kind: kind === "observation" ? undefined : kind,
    q: query,
    limit: input.limit ?? DEFAULT_LIMIT,
  };
  const context = query === undefined ? call : { ...call, semantic: embedSearchWords(call, query, scope.projectId) };
  const groups = [
    kind === undefined || kind === "observation" ? await findObservations(queryInput, context, form) : NO_MATCHES,
    kind === "observation" ? NO_MATCHES : await findSessions(queryInput, context, form),
  ];
  const headings = ["Observations (what is known)", "Sessions (where it was said or done)"];
  const parts = groups.flatMap(({ lines }, group) => alternate(lines, headings[group] ?? "", group));
  const about = query === undefined ? "the newest" : `"${safeLine(query, 80)}"`;
  if (parts.length === 0) {
    const wider = scope.projectId === undefined ? "" : ', or project: "all"';
    return { text: `Nothing in ${where} matches ${about}. Try other words, fewer filters${wider}.` };
  }
  const how = [...new Set(groups.flatMap((group) => group.how))].map((one) => ` (${one})`).join("");
  return {
    text: fitReply(
      {
        head: `In ${where}: ${about}${how}. ${BACKGROUND}`,
        parts,
        foot: footer(
          "Next: timeline(anchor: id) shows what happened around one; get_observations(ids: [...]) gives the detail, several at once.",
        ),
      },
      call.maxTokens,
    ),
  };
}

/** Alternates the ranks of the groups: the best of each, then the second best of each. */
function alternate(lines: readonly string[], heading: string, group: number): ReplyPart[] {
  return lines.map((text, index) => ({ text: index === 0 ? `\n${heading}\n${text}` : text, rank: index * 2 + group }));
}

interface Group {
  lines: string[];
  /** How the lines were found, e.g. "matched as prefixes". */
  how: string[];
}

const NO_MATCHES: Group = { lines: [], how: [] };

interface QueryInput {
  q: string | undefined;
  file: string | undefined;
  [name: string]: unknown;
}

async function findObservations(queryInput: QueryInput, call: Call, form: LineForm): Promise<Group> {
  const found = await tryQuery(observations, queryInput, call);
  if (found instanceof AppError) return NO_MATCHES;
  const { data, meta, semantic } = found;
  return {
    lines: data.results.map((row) => observationLine(row, form)),
    how: [...howFound(meta), ...(semantic?.isBroken === true ? [semantic.degraded ?? ""] : [])],
  };
}

async function findSessions(queryInput: QueryInput, call: Call, form: LineForm): Promise<Group> {
  if (queryInput.q !== undefined) {
    const found = await tryQuery(sessionSearch, queryInput, call);
    if (found instanceof AppError) return NO_MATCHES;
    const { data, meta, since, isBroken } = found;
    const shortId = shortIdsOf(form.db, data.results);
    return {
      lines: data.results.map((finding) => findingLine(finding, form, shortId)),
      how: [
        ...howFound(meta),
        // In a large store, common words are searched only in the newest sessions.
        ...(since > 0 ? [`common words were searched only since ${localDay(since)}`] : []),
        ...(isBroken ? [meta.degraded ?? ""] : []),
      ],
    };
  }
  // file_history lists the sessions of a file.
  const newest = queryInput.file === undefined ? await tryQuery(list, queryInput, call) : undefined;
  if (newest === undefined || newest instanceof AppError) return NO_MATCHES;
  const shortId = shortIdsOf(form.db, newest.data.results);
  return { lines: newest.data.results.map((session) => sessionLine(session, form, shortId)), how: [] };
}

function howFound({ rung, words = [] }: { rung?: string; words?: string[] }): string[] {
  if (rung === "typo") return [`no exact match; results for ${safeLine(words.join(", "), 80)}`];
  if (rung === "meaning") return ["no exact match; results with a similar meaning"];
  return rung === "prefix" ? ["matched as prefixes"] : [];
}

interface LineForm {
  db: Db;
  now: number;
  withProject: boolean;
}

function observationLine(row: DataOf<typeof observations>["results"][number], { now, withProject }: LineForm): string {
  const marks = [
    row.pinned && "pinned",
    row.superseded_by !== null && `replaced by ${row.superseded_by.id}`,
    row.copies > 0 && copiesText(row.copies),
    withProject && (row.project === null ? "every project" : safeLine(row.project, 40)),
  ].filter(Boolean);
  const tokens = roughTokens(`${row.narrative}\n${row.facts.join("\n")}`);
  const note = marks.length === 0 ? "" : `  [${marks.join(", ")}]`;
  return `${row.id}  ${when(row.valid_from, now)}  ${row.type}  ${titleLine(row, TITLE_CHARS)}  ~${tokens} tokens${note}`;
}

function findingLine(
  finding: DataOf<typeof sessionSearch>["results"][number],
  form: LineForm,
  shortId: ShortId,
): string {
  const { kind, item, at, snippet, path, prompt_number: turn } = finding;
  const text =
    path !== null
      ? pathLine(path, SNIPPET_CHARS)
      : kind === "tool"
        ? quotedLine(snippet, SNIPPET_CHARS)
        : safeLine(snippet, SNIPPET_CHARS);
  const tokens = itemTokens(form.db, item);
  const size = tokens > 0 ? `  ~${tokens} tokens` : "";
  const position = turn > 0 ? ` turn ${turn}` : "";
  return `${kind === "session" ? shortId(item) : item}  ${when(at, form.now)}  ${kind}  ${text}${size}  [${source(finding, form, shortId)}${position}]`;
}

function itemTokens(db: Db, item: string): number {
  const row = itemRow(db, item);
  if (row === undefined) return 0;
  if (row.kind === "tool") return roughTokens(`${row.use.input}\n${row.use.output ?? ""}`);
  return roughTokens(row.kind === "message" ? `${row.text}\n${row.thinking}` : row.text);
}

function sessionLine(session: DataOf<typeof list>["results"][number], form: LineForm, shortId: ShortId): string {
  const counts = `${count(session.prompts, "prompt")}, ${count(session.files_changed, "file")} changed`;
  return `${shortId(session.session_id)}  ${when(session.last_at, form.now)}  session  ${safeLine(titleText(session), TITLE_CHARS)}  [${source(session, form, shortId)}, ${counts}]`;
}

interface Source {
  session_id: string;
  project: string;
  agent: string;
}

/** "app, claude-code 1b2c3d4e", or without the project */
function source({ session_id: id, project, agent }: Source, { withProject }: LineForm, shortId: ShortId): string {
  return `${withProject ? `${safeLine(project, 40)}, ` : ""}${agent} ${shortId(id)}`;
}
