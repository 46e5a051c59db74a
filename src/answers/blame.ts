// Which sessions touched a file and why, newest first.
import { existsSync } from "node:fs";
import { AGENTS } from "../agents/spec.ts";
import { pathNames } from "../capture/project.ts";
import type { Env } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { iso } from "../core/time.ts";
import { blame, type BlameEntry } from "../recall/blame.ts";
import { type Asked, questionOf } from "./asked.ts";
import type { Answer, Json } from "./envelope.ts";

const LIMIT = 20;

/** `typed` is a path as people write it: of where they stand, of the project, or the end of one. */
export function answerBlame(asked: Asked, typed: string): Answer & { entries: BlameEntry[]; paths: string[] } {
  if (typed.trim() === "") throw new AppError("usage", "An empty text names no file.");
  const { db, env, cwd, flags } = asked;
  const { scope, limit, where } = questionOf(asked, LIMIT);
  const reads = flags["reads"] === true;
  const names = cwd === undefined ? [typed.replace(/^\.\//, "")] : pathNames(typed, cwd);
  const entries = blame(db, { names, reads, limit }, scope);
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
  return { data: { results }, meta: { where, paths }, entries, paths };
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
