// Which sessions touched a file and why, newest first.
import { existsSync } from "node:fs";
import { AGENTS } from "../agents/spec.ts";
import type { Env } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { iso } from "../core/time.ts";
import { blame, type BlameEntry } from "../recall/history/blame.ts";
import { type Asked, questionOf } from "./legacy.ts";
import type { Answer, Json } from "./envelope.ts";
import { placePath } from "./path-place.ts";

const LIMIT = 20;

interface BlameAnswer extends Answer {
  entries: BlameEntry[];
  /** Of these entries: where there are more entries, there may be more paths. */
  paths: string[];
  hasMore: boolean;
}

/** `typed` is a file or a folder: relative to the current folder or its project, absolute, or the end of a path. */
export function answerBlame(asked: Asked, typed: string): BlameAnswer {
  if (typed.trim() === "")
    throw new AppError("usage", "Name a file or a folder.", { hint: "c-mem blame <file or folder>" });
  const { db, env, flags } = asked;
  const { names, project, isUnknown } = placePath(asked, typed);
  const isGiven = flags["project"] !== undefined || flags["all"] === true;
  const place = isGiven ? {} : isUnknown ? { all: true } : project === undefined ? {} : { project: project.key };
  const { scope, limit, where } = questionOf({ ...asked, flags: { ...flags, ...place } }, LIMIT);
  const reads = flags["reads"] === true;
  const found = blame(db, { names, reads, limit: limit + 1 }, scope);
  const hasMore = found.length > limit;
  const entries = found.slice(0, limit);
  if (entries.length === 0) {
    throw new AppError(
      "nothing_found",
      `No session in ${where} ${reads ? "touched" : "changed"} ${oneLine(typed, 120)}.`,
      {
        hint: [
          ...(reads ? [] : ["--reads shows those that only read it"]),
          ...(scope.projectId === undefined ? [] : ["--all looks in every project"]),
          "`c-mem search --kind file` finds files by a part of their path.",
        ].join("; "),
      },
    );
  }
  const paths = [...new Set(entries.map((entry) => entry.path))];
  const results = entries.map((entry) => entryJson(entry, env));
  return { data: { results }, meta: { where, paths, has_more: hasMore }, entries, paths, hasMore };
}

interface Backup {
  version: string;
  path: string | null;
  exists: boolean;
}

/** The agent's own copy of the file from before the turn, by its name and where it should be. */
export function backupOf(entry: BlameEntry, env: Env): Backup | null {
  if (entry.backup === null) return null;
  const spec = AGENTS.find(({ id }) => id === entry.agent);
  const path = spec?.backupPath?.(env, entry.parent_session_id ?? entry.session_id, entry.backup) ?? null;
  return { version: entry.backup, path, exists: path !== null && existsSync(path) };
}

function entryJson(entry: BlameEntry, env: Env): Json {
  return {
    session_id: entry.session_id,
    parent_session_id: entry.parent_session_id,
    agent: entry.agent,
    project: entry.project,
    title: entry.title,
    path: entry.path,
    turn: entry.prompt_number,
    prompt_id: entry.prompt_db_id === null ? null : `p${entry.prompt_db_id}`,
    prompt: entry.prompt,
    reads: entry.reads,
    edits: entry.edits,
    creates: entry.creates,
    added: entry.added,
    removed: entry.removed,
    backup: backupOf(entry, env),
    first_at: iso(entry.first_at),
    last_at: iso(entry.last_at),
    commits: entry.commits.map(({ sha, subject }) => ({ sha, subject })),
  };
}
