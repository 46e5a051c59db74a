// c-mem search: finds past sessions by what was asked, answered and done in them.
import { resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { ago, oneLine } from "../../core/text.ts";
import { FIND_KINDS, type Finding, type FindKind, findSessions, type Role, ROLES } from "../../recall/find.ts";
import { askMeaning } from "../../recall/meaning.ts";
import type { Snippet } from "../../recall/snippet.ts";
import { updateSearchIndex } from "../../store/search-index.ts";
import type { SessionFilter } from "../../store/session-filter.ts";
import type { CommandOptions } from "../table.ts";
import { readConcepts, readType } from "../observation-flags.ts";
import { dim, EXIT, heading, iso, paint, print, printJson, say } from "../output.ts";
import { readScope } from "../scope.ts";
import { shortId } from "../session-text.ts";
import { withStoreAsync } from "../store.ts";

const LIMIT = 10;

export async function run({ args, flags, json }: CommandOptions): Promise<number> {
  const env = process.env;
  const paths = resolvePaths(env);
  const query = args.join(" ");
  if (query.trim() === "") throw new AppError("usage", "What shall be searched for?", { hint: "c-mem search <words>" });
  const kind = readKind(flags);
  const filter = readFilter(flags);
  return await withStoreAsync(paths, async (db) => {
    updateSearchIndex(db);
    const { scope, limit, where } = readScope(db, flags, { paths, env, cwd: process.cwd(), limit: LIMIT });
    const start = process.hrtime.bigint();
    const state = await askMeaning(db, query, { paths, env, project: scope.projectId });
    const { meaning, degraded = null } = state;
    const { findings, words, rung, searched } = findSessions(db, query, {
      scope: { ...scope, ...filter },
      limit,
      kind,
      meaning,
    });
    const ms = Number((process.hrtime.bigint() - start) / 100_000n) / 10;
    if (findings.length === 0) {
      throw new AppError("nothing_found", `Nothing in ${where} fits "${oneLine(query, 80)}".`, {
        hint: [
          scope.projectId === undefined ? "Try other words." : "Try other words, or --all for every project.",
          ...(meaning === undefined ? [`Searched by ${degraded}. ${state.hint ?? ""}`.trim()] : []),
        ].join(" "),
      });
    }
    const lanes = searched.map(({ since, ...lane }) => ({ ...lane, since: iso(since) }));
    const meta = {
      query,
      kind: kind ?? null,
      rung,
      words,
      where,
      lanes: lanesUsed(kind, meaning !== undefined),
      degraded,
      hint: state.hint ?? null,
      corpus: { model: state.model, vectors: state.vectors, not_embedded: state.waiting },
      searched: lanes,
      ms,
    };
    if (json) printJson("search", { results: findings.map(toJson) }, meta);
    else {
      if (rung === "typo") say(`Nothing fits the words as they are; these fit ${words.join(", ")}.`);
      const since = Math.max(...searched.map((lane) => lane.since ?? 0));
      if (since > 0) say(`Such common words were looked for only since ${new Date(since).toISOString().slice(0, 10)}.`);
      // That there is no model is told by `status`, not at every search.
      if (state.isBroken) say(`Searched by ${degraded}. ${state.hint ?? ""}`.trim());
      for (const finding of findings) print(findingText(finding));
    }
    return EXIT.ok;
  });
}

function lanesUsed(kind: FindKind | undefined, hasMeaning: boolean): string[] {
  if (kind === "session") return ["names"];
  if (kind === "file") return ["files"];
  if (kind !== undefined) return [kind === "tool" ? "work" : "talk"];
  return ["talk", "work", "files", ...(hasMeaning ? ["meaning"] : [])];
}

/** What the sessions must have in them. */
function readFilter(flags: Record<string, unknown>): SessionFilter {
  const text = (name: string): string | undefined => (flags[name] === undefined ? undefined : String(flags[name]));
  return {
    type: readType(flags["type"]),
    concept: readConcepts(flags["concept"])?.[0],
    file: text("file")?.replace(/^(?:\.?\/)+/, ""),
    session: text("session"),
  };
}

/** Who said it is one way to name the kind of what was said. */
function readKind(flags: Record<string, unknown>): FindKind | undefined {
  const kind = oneOf("kind", FIND_KINDS, flags["kind"]);
  const role = oneOf("role", Object.keys(ROLES) as Role[], flags["role"]);
  if (role === undefined) return kind;
  if (kind === undefined || kind === ROLES[role]) return ROLES[role];
  throw new AppError("usage", `What is of kind "${kind}" nobody says in the role "${role}".`, {
    hint: `--role ${role} searches --kind ${ROLES[role]}: give one of them.`,
  });
}

function oneOf<T extends string>(name: string, known: readonly T[], flag: unknown): T | undefined {
  const value = known.find((each) => each === flag);
  if (flag === undefined || value !== undefined) return value;
  throw new AppError("usage", `There is no ${name} "${String(flag)}".`, { hint: `One of: ${known.join(", ")}` });
}

function toJson({ session, score, promptNumber, at, kind, role, item, snippet }: Finding): object {
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
    score: Math.round(score * 100) / 100,
    snippet: snippet.text,
    marks: snippet.marks,
    open: openCommand(session.session_id, promptNumber),
  };
}

function openCommand(id: string, turn: number): string {
  const options = turn > 0 ? ` --turn ${turn}` : "";
  return `c-mem show${options} ${id.startsWith("-") ? "-- " : ""}${id}`;
}

function findingText({ session, promptNumber, at, kind, snippet }: Finding): string {
  const where = `${session.project}, ${session.agent}, ${ago(at, Date.now())}`;
  const open = openCommand(shortId(session.session_id), promptNumber);
  return `${heading(oneLine(session.title ?? "(untitled)", 90))}  ${dim(where)}\n  ${dim(`${kind}:`)} ${highlight(snippet)}\n  ${dim(open)}\n`;
}

function highlight({ text, marks }: Snippet): string {
  let out = "";
  let from = 0;
  for (const [start, end] of marks) {
    out += text.slice(from, start) + paint("yellow", text.slice(start, end));
    from = end;
  }
  return out + text.slice(from);
}
