// Lists efforts and shows one. An effort is work over several sessions, which continue each other.
import { nothingFound } from "../core/error.ts";
import { count, listText, oneLine } from "../core/text.ts";
import { deriveSession } from "../memory/derive.ts";
import { MAX_LINKS_MS, updateLinks } from "../memory/relate/update-links.ts";
import { columns, fit, pad } from "../platform/terminal/layout.ts";
import { dim, heading, paint } from "../platform/terminal/style.ts";
import { type Effort, effortStory, findEffort, findEfforts, isEffortId } from "../recall/efforts/efforts.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import type { Db } from "../store/db/driver.ts";
import type { Scope } from "../store/reads/scope.ts";
import { sessionsByPrefix } from "../store/reads/session-list.ts";
import { type ShortId, shortId } from "../store/reads/short-ids.ts";
import { defineQuery, type Zod } from "./query.ts";
import { countOf, jsonOf, listOf, defineNames, schemaOf, whereOf } from "./schemas.ts";
import { LIMIT, readScope, SCOPE, widerScope } from "./scope.ts";
import { shortIdsOf, titleText, when } from "./session-text.ts";

const DEFAULT_LIMIT = 10;
/** Time limit for deriving the memory of the sessions shown. */
const MAX_DERIVE_MS = 1_000;

export const efforts = defineQuery({
  name: "efforts",
  about: "list efforts: work that took several sessions",
  fields: { ...SCOPE, ...LIMIT },
  http: { path: "/api/efforts", tag: "efforts" },
  reply: (z) => ({
    data: listOf(z, effortSchema(z)),
    meta: z.strictObject({ where: whereOf(z), total: countOf(z), has_more: z.boolean() }),
  }),
  run({ limit = DEFAULT_LIMIT, ...input }, context) {
    const { scope, where, anywhere } = readScope(input, context);
    updateLinks(context.db, { maxMs: MAX_LINKS_MS });
    const found = findEfforts(context.db, scope);
    if (found.length === 0) {
      throw nothingFound(
        `No efforts in ${anywhere} yet.`,
        `${widerScope(scope)}; \`c-mem list\` shows single sessions.`,
      );
    }
    return {
      data: { results: effortsJson(context.db, found.slice(0, limit)) },
      meta: { where, total: found.length, has_more: found.length > limit },
      withProject: scope.projectId === undefined,
    };
  },
  text({ data: { results }, meta, withProject }) {
    const more = meta.has_more
      ? [dim(`\n${meta.total} in all: -n ${meta.total} shows them. \`c-mem effort <id>\` shows one in full.`)]
      : [];
    return [...results.map((one) => effortLine(one, withProject)), ...more].join("\n");
  },
});

export const effort = defineQuery({
  name: "effort",
  about: "show one effort: its sessions, decisions and open ends",
  fields: {
    id: {
      kind: "text",
      position: "<effort>",
      required: true,
      values: "efforts",
      about: "the id of an effort, or a session of it",
    },
    ...SCOPE,
  },
  http: { path: "/api/efforts/:id", tag: "efforts" },
  reply: (z) => ({ data: effortSchema(z) }),
  run({ id, ...input }, context) {
    updateLinks(context.db, { maxMs: MAX_LINKS_MS });
    const found = resolveEffort(context.db, id.trim(), () => readScope(input, context).scope);
    return { data: effortsJson(context.db, [found])[0] as EffortJson };
  },
  text: ({ data }, { db }) => effortText(data, shortIdsOf(db, data.sessions)),
});

function resolveEffort(db: Db, name: string, scope: () => Scope): Effort {
  const hint = "`c-mem efforts --all` lists every effort, `c-mem related <session>` the sessions related to one.";
  if (isEffortId(name)) {
    const found = findEffort(db, { id: name });
    if (found !== undefined) return found;
    // A session id may look like an effort id.
    if (sessionsByPrefix(db, name, 1).length === 0) throw nothingFound(`No effort "${oneLine(name, 80)}".`, hint);
  }
  const { session } = resolveSession(db, name, scope);
  const found = findEffort(db, { sessionDbId: session.parent_session_db_id ?? session.id });
  if (found !== undefined) return found;
  const id = shortId(db, session.session_id);
  throw nothingFound(`Session ${id} is not part of an effort.`, hint);
}

const EFFORT = defineNames({
  text: ["id", "title", "project"],
  texts: ["branches", "agents"],
  count: ["subagents"],
  time: ["started_at", "last_at"],
});
const SESSION = defineNames({
  text: ["session_id", "agent"],
  textOrNull: ["title", "outcome", "git_branch", "continues"],
  time: ["started_at", "last_at"],
});
const DECISION = defineNames({ text: ["id", "title", "narrative"], textOrNull: ["session_id"], time: ["at"] });

const effortSchema = (z: Zod) =>
  z.strictObject({
    ...schemaOf(z, EFFORT),
    sessions: z.array(z.strictObject({ ...schemaOf(z, SESSION), weight: z.number().nullable() })),
    decisions: z.array(z.strictObject(schemaOf(z, DECISION))),
    open_ends: z.array(z.strictObject({ session_id: z.string(), text: z.string() })),
  });

type EffortJson = ReturnType<typeof effortsJson>[number];

function effortsJson(db: Db, found: readonly Effort[]) {
  const deadline = performance.now() + MAX_DERIVE_MS;
  for (const { id } of found.flatMap(({ members }) => members.toReversed())) {
    if (performance.now() < deadline) deriveSession(db, id, Date.now());
  }
  return found.map((one) => {
    const story = effortStory(db, one);
    return {
      ...jsonOf(EFFORT, { ...story, started_at: story.startedAt, last_at: story.lastAt }),
      sessions: story.sessions.map(({ session, continues }) => ({
        ...jsonOf(SESSION, { ...session, outcome: session.subtitle, continues: continues?.session_id ?? null }),
        weight: continues?.weight ?? null,
      })),
      decisions: story.decisions.map((decision) =>
        jsonOf(DECISION, { ...decision, id: `o${decision.id}`, at: decision.valid_from }),
      ),
      open_ends: story.openEnds,
    };
  });
}

const BRANCHES_SHOWN = 3;

function effortLine(one: EffortJson, withProject: boolean): string {
  const facts = [
    count(one.sessions.length, "session"),
    ...(withProject ? [one.project] : []),
    ...(one.branches.length > 0 ? [listText(one.branches, BRANCHES_SHOWN)] : []),
    ...(one.open_ends.length > 0 ? [`${one.open_ends.length} open`] : []),
  ].join(" · ");
  const lines = [
    `${paint("yellow", one.id)}  ${when(one.last_at)}  ${fit(one.title, columns() - 30)}`,
    `            ${dim(fit(facts, columns() - 12))}`,
  ];
  const [latest] = one.decisions;
  if (latest !== undefined) lines.push(`            ${dim("decided")} ${fit(latest.title, columns() - 20)}`);
  return lines.join("\n");
}

/** Below this weight the link between two sessions is a guess. */
const CERTAIN_WEIGHT = 0.55;

function effortText(one: EffortJson, shorten: ShortId): string {
  const about = [
    one.project,
    listText(one.branches, BRANCHES_SHOWN),
    one.agents.join(", "),
    one.subagents > 0 ? count(one.subagents, "subagent") : "",
  ].filter(Boolean);
  const idWidth = Math.max(8, ...one.sessions.map((session) => shorten(session.session_id).length));
  const list = (name: string, items: readonly { id: string; text: string }[]): string[] => {
    const lines = items.map(
      ({ id, text }) => `  ${paint("yellow", pad(id, idWidth))}  ${fit(text, columns() - 4 - idWidth)}`,
    );
    return items.length === 0 ? [] : ["", heading(name), ...lines];
  };
  return [
    `${heading(fit(one.title, columns() - 14))}  ${dim(one.id)}`,
    dim(fit(about.join(" · "), columns())),
    "",
    ...one.sessions.map(({ session_id: id, started_at: start, title, outcome, weight }) => {
      const perhaps = weight !== null && weight < CERTAIN_WEIGHT ? dim(" (perhaps)") : "";
      const result = outcome === null ? "" : ` ${dim(`→ ${outcome}`)}`;
      const text = fit(`${titleText({ title, subtitle: outcome })}${result}`, columns() - 22 - idWidth);
      return `${dim(when(start))}  ${paint("yellow", pad(shorten(id), idWidth))}  ${text}${perhaps}`;
    }),
    ...list(
      "Decided",
      one.decisions.map(({ id, title }) => ({ id, text: title })),
    ),
    ...list(
      "Open",
      one.open_ends.map(({ session_id: id, text }) => ({ id: shorten(id), text })),
    ),
  ].join("\n");
}
