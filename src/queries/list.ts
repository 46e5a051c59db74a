// Lists the sessions of a project or of all projects, newest first.
import { nothingFound } from "../core/error.ts";
import { count, withCommas } from "../core/text.ts";
import { columns, fit, pad, padLeft } from "../platform/terminal/layout.ts";
import { dim, paint } from "../platform/terminal/style.ts";
import { listSessions } from "../store/reads/session-list.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import { countSessions } from "../store/reads/counts.ts";
import { defineQuery } from "./query.ts";
import { countOf, listOf, whereOf } from "./schemas.ts";
import { LIMIT, OFFSET, readScope, SCOPE, widerScope } from "./scope.ts";
import { sessionJson, type SessionJson, sessionSchema } from "./session-json.ts";
import { shortIdsOf, titleText, when } from "./session-text.ts";

const DEFAULT_LIMIT = 20;

export const list = defineQuery({
  name: "list",
  about: "list sessions, newest first",
  fields: { ...SCOPE, ...LIMIT, ...OFFSET },
  http: { path: "/api/sessions", tag: "sessions" },
  reply: (z) => ({
    data: listOf(z, sessionSchema(z)),
    meta: z.strictObject({ where: whereOf(z), has_more: z.boolean(), total: countOf(z), subagents: countOf(z) }),
  }),
  run({ limit = DEFAULT_LIMIT, offset = 0, ...input }, context) {
    const { scope, where, anywhere } = readScope(input, context);
    const found = listSessions(context.db, scope, limit + 1, offset);
    if (found.length === 0) {
      throw nothingFound(
        `No session in ${anywhere} matches.`,
        `${widerScope(scope)}, or \`c-mem sync\` to import earlier sessions.`,
      );
    }
    const { sessions: total, subagents } = countSessions(context.db, scope);
    return {
      data: { results: found.slice(0, limit).map(sessionJson) },
      meta: { where, has_more: found.length > limit, total, subagents },
      withProject: scope.projectId === undefined,
    };
  },
  text({ data: { results }, meta, withProject }, { db, note }) {
    // If all sessions are shown and none has subagents, the footer would add nothing.
    if (results.length < meta.total || meta.subagents > 0) note(dim(`\n${footer(results.length, meta)}`));
    return table(results, withProject, shortIdsOf(db, results));
  },
});

/** "20 of 27 sessions (-n 40 shows more), 12 subagents inside them" */
function footer(shown: number, meta: { total: number; subagents: number; has_more: boolean }): string {
  const sessions = count(meta.total, "session");
  return [
    shown < meta.total ? `${withCommas(shown)} of ${sessions}` : sessions,
    meta.has_more ? ` (-n ${shown * 2} shows more)` : "",
    meta.subagents > 0 ? `, ${count(meta.subagents, "subagent")} inside them` : "",
  ].join("");
}

/** Width of the two columns of numbers, each with two spaces before it. */
const NUMBER_COLUMNS = 16;
/** If the title would get fewer columns than this, the columns of numbers are left out. */
const MIN_TITLE = 20;

function table(rows: readonly SessionJson[], withProject: boolean, shortId: ShortId): string {
  const withAgent = rows.some((row) => row.agent !== "claude-code");
  const agentWidth = Math.max(...rows.map((row) => row.agent.length));
  const projects = rows.map((row) => fit(row.project, columns() < 100 ? 14 : 20));
  const projectWidth = Math.max("project".length, ...projects.map((name) => name.length));
  const idWidth = Math.max("session".length, ...rows.map((row) => shortId(row.session_id).length));
  const used = idWidth + 2 + 16 + 2 + (withAgent ? agentWidth + 2 : 0) + (withProject ? projectWidth + 2 : 0);
  const hasNumbers = columns() - used - NUMBER_COLUMNS >= MIN_TITLE;
  const width = Math.max(10, columns() - used - (hasNumbers ? NUMBER_COLUMNS : 0));
  const line = (left: readonly string[], title: string, prompts: string, files: string): string => {
    const numbers = hasNumbers ? `  ${dim(`${padLeft(prompts, 7)}  ${padLeft(files, 5)}`)}` : "";
    return `${left.join("  ")}  ${pad(fit(title, width), width)}${numbers}`.trimEnd();
  };
  const header = [
    dim("session".padEnd(idWidth)),
    dim("when".padEnd(16)),
    ...(withAgent ? [dim("agent".padEnd(agentWidth))] : []),
    ...(withProject ? [dim("project".padEnd(projectWidth))] : []),
  ];
  const body = rows.map((row, index) => {
    const left = [
      paint("yellow", pad(shortId(row.session_id), idWidth)),
      when(row.last_at),
      ...(withAgent ? [pad(row.agent, agentWidth)] : []),
      ...(withProject ? [paint("cyan", pad(projects[index] ?? "", projectWidth))] : []),
    ];
    return line(left, titleText(row), String(row.prompts), row.files_changed === 0 ? "" : String(row.files_changed));
  });
  return [line(header, "title", "prompts", "files"), ...body].join("\n");
}
