// The sessions that touched a file or folder, newest first, each with the prompt that says why.
import { existsSync } from "node:fs";
import { AGENTS } from "../agents/spec.ts";
import type { Env } from "../config/paths.ts";
import { nothingFound, usageError } from "../core/error.ts";
import { terminalSafe } from "../core/terminal.ts";
import { count, oneLine } from "../core/text.ts";
import { titleOf } from "../core/title.ts";
import { columns, fit } from "../platform/terminal/layout.ts";
import { dim, heading, paint } from "../platform/terminal/style.ts";
import { blame as findTouches, type BlameEntry } from "../recall/history/blame.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import { locatePath } from "./path-location.ts";
import { defineQuery } from "./query.ts";
import { COMMIT, commitOf, defineNames, jsonOf, listOf, schemaOf, textOrNull, whereOf } from "./schemas.ts";
import { LIMIT, readScope, SCOPE } from "./scope.ts";
import { changeText, commitText, conversationOf, shortIdsOf, when } from "./session-text.ts";

const DEFAULT_LIMIT = 20;

const ENTRY = defineNames({
  text: ["session_id", "agent", "project", "path"],
  textOrNull: ["parent_session_id", "title", "prompt_id", "prompt"],
  int: ["turn"],
  count: ["reads", "edits", "creates", "added", "removed"],
  time: ["first_at", "last_at"],
});

export const blame = defineQuery({
  name: "blame",
  about: "show which sessions changed a file and why",
  fields: {
    path: {
      kind: "text",
      position: "<path>",
      required: true,
      maxChars: 4_000,
      about: "a file or folder, or the end of its path",
    },
    reads: { kind: "flag", about: "also sessions that only read it" },
    ...SCOPE,
    ...LIMIT,
  },
  http: { path: "/api/files", tag: "search" },
  reply: (z) => ({
    data: listOf(
      z,
      z.strictObject({
        ...schemaOf(z, ENTRY),
        backup: z.strictObject({ version: z.string(), path: textOrNull(z), exists: z.boolean() }).nullable(),
        commits: z.array(commitOf(z)),
      }),
    ),
    meta: z.strictObject({ where: whereOf(z), paths: z.array(z.string()), has_more: z.boolean() }),
  }),
  run({ path, reads, limit = DEFAULT_LIMIT, ...input }, context) {
    if (path.trim() === "") throw usageError("Name a file or a folder.", "c-mem blame <path>");
    const { names, project, isUnknown } = locatePath(context, path);
    const isScopeGiven = input.project !== undefined || input.all;
    const scopeOfPath = isScopeGiven
      ? {}
      : isUnknown
        ? { all: true }
        : project === undefined
          ? {}
          : { project: project.key };
    const { scope, where, anywhere } = readScope({ ...input, ...scopeOfPath }, context);
    const found = findTouches(context.db, { names, reads, limit: limit + 1 }, scope);
    const entries = found.slice(0, limit).map((entry) => entryJson(entry, context.env));
    if (entries.length === 0) {
      throw nothingFound(
        `No session in ${anywhere} ${reads ? "touched" : "changed"} ${oneLine(path, 120)}.`,
        [
          ...(reads ? [] : ["--reads includes sessions that only read it"]),
          ...(scope.projectId === undefined ? [] : ["--all looks in every project"]),
          "`c-mem search --kind file` finds files by a part of their path.",
        ].join("; "),
      );
    }
    const paths = [...new Set(entries.map((entry) => entry.path))];
    return { data: { results: entries }, meta: { where, paths, has_more: found.length > limit } };
  },
  text({ data: { results }, meta: { paths, has_more: hasMore } }, { input, db, note }) {
    if (hasMore) note(dim(`\nThe ${count(results.length, "newest change")} (-n ${results.length * 2} shows more)`));
    const shortId = shortIdsOf(db, results);
    const howMany = hasMore ? "Files" : count(paths.length, "file");
    const files = paths.length > NAMED_FILES ? `${howMany} below ${input.path}` : paths.join(", ");
    const lines = results.map((entry) => entryText(entry, { shortId, withPath: paths.length > 1 }));
    return [heading(fit(files, columns())), ...lines].join("\n\n");
  },
});

/** With more files than this, the heading shows the folder instead of the file names. */
const NAMED_FILES = 3;

type Entry = ReturnType<typeof entryJson>;

function entryJson(entry: BlameEntry, env: Env) {
  return {
    ...jsonOf(ENTRY, {
      ...entry,
      turn: entry.prompt_number,
      prompt_id: entry.prompt_db_id === null ? null : `p${entry.prompt_db_id}`,
    }),
    backup: snapshotJson(entry, env),
    commits: entry.commits.map((commit) => jsonOf(COMMIT, commit)),
  };
}

/** The agent's own snapshot of the file before the turn. */
function snapshotJson(entry: BlameEntry, env: Env): { version: string; path: string | null; exists: boolean } | null {
  if (entry.backup === null) return null;
  const spec = AGENTS.find(({ id }) => id === entry.agent);
  const path = spec?.backupPath?.(env, entry.parent_session_id ?? entry.session_id, entry.backup) ?? null;
  return { version: entry.backup, path, exists: path !== null && existsSync(path) };
}

function entryText(entry: Entry, { shortId, withPath }: { shortId: ShortId; withPath: boolean }): string {
  const notes = [
    entry.creates > 0 && paint("green", "created"),
    entry.edits > 0 && count(entry.edits, "edit"),
    entry.reads > 0 && dim(count(entry.reads, "read")),
    changeText(entry).trim() !== "" && paint("green", changeText(entry).trim()),
    entry.parent_session_id !== null && dim(`by a subagent (${shortId(entry.session_id)})`),
  ].filter(Boolean);
  const item = entry.prompt_id === null ? "" : `  ${dim(entry.prompt_id)}`;
  const why = entry.prompt === null ? dim("(no prompt recorded)") : fit(titleOf(entry.prompt), columns() - 14);
  return [
    `${paint("yellow", shortId(conversationOf(entry)))}  ${when(entry.last_at)}  ${notes.join(", ")}`,
    ...(withPath ? [`    ${paint("cyan", fit(entry.path, columns() - 4))}`] : []),
    `    ${why}${item}`,
    ...titleLine(entry),
    // Agents delete their snapshots after some time.
    ...(entry.backup?.exists ? [`    ${dim(`before: ${terminalSafe(entry.backup.path ?? "")}`)}`] : []),
    ...entry.commits.map((commit) => `    ${commitText(commit, columns() - 24)}`),
  ].join("\n");
}

/** The session's title, unless the prompt is long or begins like it: "yes" alone says too little. */
function titleLine(entry: Entry): string[] {
  const title = entry.title ?? "";
  const prompt = (entry.prompt ?? "").trim();
  if (title === "" || prompt.length > 60 || prompt.startsWith(title.slice(0, 20))) return [];
  return [`    ${dim(fit(`in: ${title}`, columns() - 4))}`];
}
