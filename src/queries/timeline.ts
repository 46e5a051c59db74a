// What happened before and after a session or an item, turn by turn, across sessions.
import { errorLine } from "../core/error-text.ts";
import { nothingFound } from "../core/error.ts";
import { OBSERVATION_TYPES } from "../core/memory.ts";
import { commandForm } from "../core/shell-command.ts";
import { listText } from "../core/text.ts";
import { titleOf } from "../core/title.ts";
import { MAX_LINKS_MS, updateLinks } from "../memory/relate/update-links.ts";
import { columns, fit } from "../platform/terminal/layout.ts";
import { dim, paint } from "../platform/terminal/style.ts";
import { latestTurns, timelineAround, timelineAt, type TimelineTurn } from "../recall/history/timeline.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import { parseObservationId } from "../store/reads/items.ts";
import { findObservation } from "../store/reads/observation-list.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import type { Scope } from "../store/reads/scope.ts";
import type { TurnScope } from "../store/reads/timeline.ts";
import { defineQuery } from "./query.ts";
import { COMMIT, commitOf, jsonOf, listOf, defineNames, schemaOf, turnStatusOf } from "./schemas.ts";
import { readRange, readScope, SCOPE } from "./scope.ts";
import { changeText, commitText, shortIdsOf, when } from "./session-text.ts";

const DEFAULT_DEPTH = 5;

const TURN = defineNames({
  text: ["id", "session_id", "agent", "project", "prompt"],
  textOrNull: ["title"],
  int: ["turn"],
  time: ["at"],
  timeOrNull: ["ended_at"],
});
const FILE = defineNames({ text: ["path"], flag: ["created"], count: ["added", "removed"] });
const FAILED = defineNames({ text: ["id", "command", "error"], intOrNull: ["exit_code"] });

export const timeline = defineQuery({
  name: "timeline",
  about: "show what happened before and after a session or item",
  fields: {
    anchor: {
      kind: "text",
      position: "[session...]",
      aliases: ["query"],
      values: "sessions",
      maxChars: 4_000,
      about: 'a session id, an item, "last", or words (default: latest)',
    },
    type: {
      kind: "text",
      value: "type",
      choices: OBSERVATION_TYPES,
      about: "only turns with an observation of a type",
    },
    depth: { kind: "number", about: "turns each way (default: 5)" },
    depth_before: { kind: "number", min: 0, only: "http", about: "turns before, instead of depth" },
    depth_after: { kind: "number", min: 0, only: "http", about: "turns after, instead of depth" },
    ...SCOPE,
  },
  http: { path: "/api/timeline", tag: "search" },
  reply: (z) => ({
    data: listOf(
      z,
      z.strictObject({
        ...schemaOf(z, TURN),
        status: turnStatusOf(z),
        is_anchor: z.boolean(),
        continues: z.array(z.strictObject({ session_id: z.string(), weight: z.number() })),
        files: z.array(z.strictObject(schemaOf(z, FILE))),
        commits: z.array(commitOf(z)),
        failed: z.array(z.strictObject(schemaOf(z, FAILED))),
      }),
    ),
    meta: z.strictObject(schemaOf(z, { count: ["depth", "depth_before", "depth_after"] })),
  }),
  run({ anchor = "", type, depth = DEFAULT_DEPTH, depth_before: before = depth, ...input }, context) {
    const { db } = context;
    const after = input.depth_after ?? depth;
    updateLinks(db, { maxMs: MAX_LINKS_MS });
    const scope = (): Scope => readScope(input, context).scope;
    // Without --project and --all, the turns are from the anchor's project, not from the current one.
    const scopeAround = (projectId: number | null): TurnScope =>
      input.all || input.project !== undefined
        ? { ...scope(), type }
        : { projectId: projectId ?? undefined, ...readRange(input, db), type };
    const turnsAround = (): TimelineTurn[] => {
      const observation = findObservation(db, parseObservationId(anchor.trim()) ?? 0);
      // An observation saved by `remember` belongs to no turn.
      if (observation?.session_db_id === null)
        return timelineAt(db, observation.valid_from, scopeAround(observation.project_id), { before, after });
      const found = resolveSession(db, anchor, scope, { words: true });
      return timelineAround(db, found, scopeAround(found.session.project_id), { before, after });
    };
    const turns = anchor.trim() === "" ? latestTurns(db, { ...scope(), type }, before) : turnsAround();
    if (turns.length === 0) {
      const what =
        type === undefined ? "Nothing recorded here yet." : `No turn here has an observation of type ${type}.`;
      throw nothingFound(what, "Use --all for every project, or `c-mem sync` to import earlier sessions.");
    }
    return {
      data: { results: turns.map(turnJson) },
      meta: { depth: Math.max(before, after), depth_before: before, depth_after: after },
    };
  },
  text({ data: { results } }, { db }) {
    const shortId = shortIdsOf(db, [...results, ...results.map((turn) => turn.continues[0])]);
    return results.map((turn, index) => turnText(turn, results[index - 1], shortId)).join("\n");
  },
});

export type Turn = ReturnType<typeof turnJson>;

function turnJson(turn: TimelineTurn) {
  return {
    ...jsonOf(TURN, {
      ...turn,
      id: `p${turn.id}`,
      turn: turn.prompt_number,
      prompt: turn.text,
      at: turn.created_at,
    }),
    status: turn.state,
    is_anchor: turn.isAnchor,
    continues: turn.continues,
    files: turn.files.map((file) => jsonOf(FILE, file)),
    commits: turn.commits.map((commit) => jsonOf(COMMIT, commit)),
    failed: turn.failed.map((use) => jsonOf(FAILED, { ...use, id: `t${use.id}`, error: errorLine(use.output ?? "") })),
  };
}

const FILES_SHOWN = 4;
const FAILED_SHOWN = 3;

function turnText(turn: Turn, previous: Turn | undefined, shortId: ShortId): string {
  const mark = turn.is_anchor ? paint(["bold", "green"], "▶") : dim("│");
  const width = columns() - 4;
  const lines: string[] = [];
  if (previous?.session_id !== turn.session_id) {
    const title = turn.title ?? "(untitled)";
    const id = shortId(turn.session_id);
    if (previous !== undefined) lines.push(dim("│"));
    lines.push(`${dim("┌")} ${paint("yellow", id)}  ${dim(fit(`${turn.project}: ${title}`, width - 4 - id.length))}`);
    const [first] = turn.continues;
    if (first !== undefined) lines.push(dim(`│ continues ${shortId(first.session_id)}`));
  }
  lines.push(`${mark} ${dim(when(turn.at))}  ${paint("bold", fit(titleOf(turn.prompt), width - 26))}  ${dim(turn.id)}`);
  const detail = (text: string): void => void lines.push(`${dim("│")}   ${text}`);
  const files = turn.files.map((file) => `${file.path}${changeText(file)}`);
  if (files.length > 0) detail(fit(`changed ${listText(files, FILES_SHOWN)}`, width));
  for (const failed of turn.failed.slice(0, FAILED_SHOWN)) {
    const command = fit(commandForm(failed.command), Math.floor(width * 0.45));
    const text = fit(`${command} → exit ${failed.exit_code}: ${failed.error}`, width - 10);
    detail(`${paint("red", "failed")}  ${text}`);
  }
  if (turn.failed.length > FAILED_SHOWN) detail(dim(`and ${turn.failed.length - FAILED_SHOWN} more failed commands`));
  for (const commit of turn.commits) detail(commitText(commit, width - 20));
  return lines.join("\n");
}
