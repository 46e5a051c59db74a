// Why a line of code is there: the turn that wrote it, what was asked and decided, and the commit that carries it.
import { nothingFound, usageError } from "../core/error.ts";
import { clip, sentencesOf } from "../core/prose.ts";
import { filterText } from "../core/privacy/filter.ts";
import { oneLine } from "../core/text.ts";
import { iso } from "../core/time.ts";
import { titleOf } from "../core/title.ts";
import { deriveSession } from "../memory/derive.ts";
import { readCommits } from "../memory/commits/read-commits.ts";
import { withoutWorkList } from "../recall/inject/observation-lines.ts";
import { COMMITTED, type LineReason } from "../recall/lines/explain-file.ts";
import type { Db } from "../store/db/driver.ts";
import { findingOf, turnReason } from "../store/reads/line-evidence.ts";
import { sessionsByIds } from "../store/reads/session-list.ts";
import { sessionsOfCommits } from "../store/tables/commits.ts";
import { defineQuery, type QueryContext } from "./query.ts";
import { defineNames, jsonOf, schemaOf, textOrNull } from "./schemas.ts";
import { SCOPE } from "./scope.ts";
import { explainTarget, linkShas } from "./why-file.ts";
import { findTarget, readRange, splitTarget, type WhyTarget } from "./why-target.ts";
import { whyText } from "./why-text.ts";

const RESULT = defineNames({
  text: ["basis"],
  textOrNull: [
    "session_id",
    "parent_session_id",
    "agent",
    "title",
    "prompt_id",
    "prompt",
    "result",
    "commit",
    "subject",
    "author",
  ],
  intOrNull: ["prompt_number"],
  timeOrNull: ["at", "committed_at"],
});

export const why = defineQuery({
  name: "why",
  about: "show which turn wrote a line, and why",
  details: "Examples: c-mem why src/store.ts:10-20, c-mem why saveTodos, c-mem why 1a2b3c4",
  fields: {
    target: {
      kind: "text",
      position: "<target>",
      required: true,
      maxChars: 4_000,
      about: "a file (src/a.ts), lines of it (src/a.ts:10-20), a function or class, a commit",
    },
    lines: { kind: "text", only: "http", maxChars: 30, about: "only these lines of the file: 10 or 10-20" },
    at: { kind: "text", value: "rev", maxChars: 200, about: "the file as of this commit, branch or tag" },
    content: { kind: "flag", only: "http", about: "also the lines of the file" },
    project: SCOPE.project,
  },
  http: { path: "/api/why", tag: "search", readsFiles: true },
  reply: (z) => ({
    data: z.strictObject({
      results: z.array(
        z.strictObject({
          ...schemaOf(z, RESULT),
          committed: z.enum(COMMITTED).meta({
            description:
              "whether a commit has these lines; cut: one before a shallow clone begins; unknown: git has no answer",
          }),
          lines: z.array(z.int()).length(2).nullable().meta({ description: "first and last line, from 1" }),
          confidence: z.number().min(0).max(1).nullable(),
          decision: z.strictObject({ id: z.string(), type: z.string(), title: z.string() }).nullable(),
        }),
      ),
      content: z.array(z.string()).nullable(),
    }),
    meta: z.strictObject({
      kind: z.enum(["file", "commit"]),
      project: z.string(),
      project_key: z.string(),
      path: textOrNull(z),
      commit: textOrNull(z).meta({
        description: "the commit that was asked about, or whose version of the file was read",
      }),
      is_deleted: z.boolean(),
      also: z.array(z.string()).meta({ description: "other places that define the symbol: src/a.ts:10" }),
    }),
  }),
  async run({ target: typed, lines, at, content, project }, context) {
    const split = lines === undefined ? splitTarget(typed, context.cwd) : { target: typed, range: parseLines(lines) };
    const target = await findTarget(context, { ...split, project });
    if (target.kind === "commit") {
      if (at !== undefined) throw usageError("--at needs a file.", "c-mem why src/store.ts --at v1.2");
      return await explainCommit(context, target);
    }
    return await explainLines(context, target, { at, content });
  },
  text: (result, view) => whyText(result, view),
});

function parseLines(text: string): readonly [number, number] {
  const [, first, last] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text.trim()) ?? [];
  if (first === undefined) throw usageError(`Invalid lines "${oneLine(text, 60)}".`, "Lines: 10 or 10-20");
  return readRange(Number(first), last);
}

type FileTarget = Extract<WhyTarget, { kind: "file" }>;
type CommitTarget = Extract<WhyTarget, { kind: "commit" }>;

async function explainLines(
  context: QueryContext,
  target: FileTarget,
  { at, content }: { at: string | undefined; content: boolean },
) {
  const file = await explainTarget(context, target, at);
  const turns = new Map<string, ReturnType<typeof describeTurn>>();
  const [first, last] = file.range;
  const results = groupLines(file.reasons, first, last).map(({ reason, from, to }) => {
    const key = `${reason.turn?.ownSessionDbId} ${reason.turn?.promptNumber}`;
    const turn = reason.turn && (turns.get(key) ?? describeTurn(context.db, reason.turn, target.path));
    if (turn !== undefined) turns.set(key, turn);
    return resultJson({ lines: [from, to], reason, turn });
  });
  return {
    data: { results, content: content ? file.lines.map((line) => filterText(line, MAX_LINE_CHARS)) : null },
    meta: {
      kind: "file" as const,
      project: target.project.name,
      project_key: target.project.key,
      path: target.path,
      commit: file.sha ?? null,
      is_deleted: file.isDeleted,
      also: target.also ?? [],
    },
  };
}

const MAX_LINE_CHARS = 2_000;

/** Neighbouring lines with the same turn and commit. */
function groupLines(reasons: readonly LineReason[], first: number, last: number) {
  const groups: { reason: LineReason; from: number; to: number }[] = [];
  for (let line = first; line <= last; line++) {
    const reason: LineReason = reasons[line - 1] ?? { basis: "none", committed: "unknown" };
    const group = groups.at(-1);
    if (group !== undefined && isSameReason(group.reason, reason)) {
      group.to = line;
      group.reason = lessCertain(group.reason, reason);
    } else groups.push({ reason, from: line, to: line });
  }
  return groups;
}

function isSameReason(a: LineReason, b: LineReason): boolean {
  return (
    a.turn?.ownSessionDbId === b.turn?.ownSessionDbId &&
    a.turn?.promptNumber === b.turn?.promptNumber &&
    a.commit?.sha === b.commit?.sha &&
    a.committed === b.committed &&
    a.basis === b.basis
  );
}

function lessCertain(a: LineReason, b: LineReason): LineReason {
  return (b.confidence ?? 1) < (a.confidence ?? 1) ? b : a;
}

async function explainCommit(context: QueryContext, target: CommitTarget) {
  const { db, env } = context;
  const git = { top: target.top, env };
  await linkShas(context, target.project.id, git, [target.sha]);
  const [read] = (await readCommits(git, [target.sha]).next()).value ?? [];
  if (read === undefined) throw nothingFound(`git cannot read the commit ${target.sha.slice(0, 9)}.`);
  const commit = { ...read, isFirst: false, isCut: false };
  const links = sessionsOfCommits(db, target.project.id, [target.sha]);
  const results = links.map((link) => {
    const turn = {
      sessionDbId: link.session_db_id,
      ownSessionDbId: link.session_db_id,
      promptNumber: link.prompt_number,
      at: link.created_at,
    };
    const reason: LineReason = { basis: "commit", turn, commit, confidence: link.confidence, committed: "yes" };
    return {
      ...resultJson({ lines: null, reason, turn: describeTurn(db, turn, undefined) }),
      basis: link.basis as string,
    };
  });
  const byHand = {
    ...resultJson({ lines: null, reason: { basis: "none", commit, committed: "yes" }, turn: undefined }),
  };
  return {
    data: { results: results.length > 0 ? results : [byHand], content: null },
    meta: {
      kind: "commit" as const,
      project: target.project.name,
      project_key: target.project.key,
      path: null,
      commit: target.sha,
      is_deleted: false,
      also: [],
    },
  };
}

const PROMPT_CHARS = 300;
const RESULT_CHARS = 240;

/** What a turn is about. Its memory is derived first if it is not yet. */
function describeTurn(
  db: Db,
  { sessionDbId, ownSessionDbId, promptNumber }: NonNullable<LineReason["turn"]>,
  path: string | undefined,
) {
  deriveSession(db, sessionDbId, Date.now());
  const turn = turnReason(db, { session_db_id: sessionDbId, prompt_number: promptNumber });
  if (turn === undefined) return undefined;
  const [own] = ownSessionDbId === sessionDbId ? [] : sessionsByIds(db, [ownSessionDbId]);
  const finding = findingOf(db, { session_db_id: sessionDbId, prompt_number: promptNumber }, path);
  // "Changed 1 file: store.js." says no more than the lines do.
  const said = withoutWorkList(turn.completed ?? "") || turn.response || "";
  return {
    session_id: own?.session_id ?? turn.session_id,
    parent_session_id: own === undefined ? null : turn.session_id,
    agent: turn.agent,
    title: turn.title,
    prompt_id: turn.prompt_db_id === null ? null : `p${turn.prompt_db_id}`,
    prompt: turn.prompt === null ? null : clip(titleOf(turn.prompt), PROMPT_CHARS),
    prompt_number: promptNumber,
    result: said === "" ? null : oneLine(sentencesOf(said)[0] ?? said, RESULT_CHARS),
    decision:
      finding === undefined ? null : { id: `o${finding.id}`, type: finding.type as string, title: finding.title },
  };
}

const NO_TURN = {
  session_id: null,
  parent_session_id: null,
  agent: null,
  title: null,
  prompt_id: null,
  prompt: null,
  prompt_number: null,
  result: null,
  decision: null,
};

export type WhyResult = ReturnType<typeof resultJson>;

function resultJson({
  lines,
  reason,
  turn,
}: {
  lines: [number, number] | null;
  reason: LineReason;
  turn: ReturnType<typeof describeTurn>;
}) {
  const { commit, basis, confidence = null } = reason;
  const { decision, ...names } = turn ?? NO_TURN;
  const texts = jsonOf(RESULT, {
    ...names,
    basis: turn === undefined ? "none" : (basis as string),
    commit: commit?.sha ?? null,
    subject: commit === undefined ? null : filterText(commit.subject, 300),
    author: commit === undefined ? null : filterText(commit.author, 100),
    committed_at: commit?.committedAt ?? null,
    at: reason.turn?.at ?? commit?.authoredAt ?? null,
  });
  return {
    ...texts,
    committed: reason.committed,
    committed_at: iso(commit?.committedAt),
    lines,
    confidence: turn === undefined ? null : confidence,
    decision,
  };
}
