// c-mem blame: which sessions touched a file and why, newest first.
import { existsSync } from "node:fs";
import { AGENTS } from "../../agents/spec.ts";
import { pathNames } from "../../capture/project.ts";
import { AppError } from "../../core/error.ts";
import { titleOf } from "../../core/title.ts";
import { blame, type BlameEntry } from "../../recall/blame.ts";
import { columns, fit, harmless } from "../layout.ts";
import type { CommandOptions } from "../table.ts";
import { count, dim, EXIT, heading, iso, print, printJson } from "../output.ts";
import { ask } from "../question.ts";
import { changeText, paint, shortId, when } from "../session-text.ts";

const DEFAULT_LIMIT = 20;

export function run({ args, flags, json }: CommandOptions): number {
  const typed = args[0] ?? "";
  if (typed.trim() === "") throw new AppError("usage", "An empty text names no file.");
  return ask(flags, DEFAULT_LIMIT, ({ db, question }) => {
    const { scope, limit, where } = question();
    const reads = flags["reads"] === true;
    const entries = blame(db, { names: pathNames(typed, process.cwd()), reads, limit }, scope);
    if (entries.length === 0) {
      throw new AppError(
        "nothing_found",
        `No session in ${where} ${reads ? "touched" : "changed"} ${fit(typed, 120)}.`,
        {
          hint: reads
            ? "Use --all for every project."
            : "--reads shows those that only read it; --all looks in every project.",
        },
      );
    }
    if (json) printJson("blame", { results: entries.map(entryJson) }, { where, paths: pathsOf(entries) });
    else print(blameText(entries));
    return EXIT.ok;
  });
}

function blameText(entries: readonly BlameEntry[]): string {
  const paths = pathsOf(entries);
  const lines = entries.map((entry) => {
    const notes = [
      entry.creates > 0 && paint("green", "created"),
      entry.edits > 0 && count(entry.edits, "edit"),
      entry.reads > 0 && dim(count(entry.reads, "read")),
      changeText(entry).trim() !== "" && paint("green", changeText(entry).trim()),
      entry.parent_session_id !== null && dim(`by a subagent (${shortId(entry.session_id)})`),
    ].filter(Boolean);
    const id = entry.parent_session_id ?? entry.session_id;
    const head = `${paint("yellow", shortId(id))}  ${when(entry.last_at)}  ${notes.join(", ")}`;
    const item = entry.prompt_db_id === null ? "" : `  ${dim(`p${entry.prompt_db_id}`)}`;
    const why = entry.prompt === null ? dim("(no prompt recorded)") : fit(titleOf(entry.prompt), columns() - 14);
    return [
      head,
      ...(paths.length > 1 ? [`    ${paint("cyan", fit(entry.path, columns() - 4))}`] : []),
      `    ${why}${item}`,
      ...titleLine(entry),
      ...backupLine(entry),
      ...entry.commits.map(
        (commit) =>
          `    ${paint("magenta", "commit")} ${paint("yellow", commit.sha.slice(0, 9))} ${fit(commit.subject, columns() - 24)}`,
      ),
    ].join("\n");
  });
  return [heading(fit(paths.join(", "), columns())), ...lines].join("\n\n");
}

/** "yes" says little: the session's title then says what it was about. */
function titleLine(entry: BlameEntry): string[] {
  const title = entry.title ?? "";
  const prompt = (entry.prompt ?? "").trim();
  if (title === "" || prompt.length > 60 || prompt.startsWith(title.slice(0, 20))) return [];
  return [`    ${dim(fit(`in: ${title}`, columns() - 4))}`];
}

interface Backup {
  version: string;
  path: string | null;
  exists: boolean;
}

/** The agent's own copy of the file from before the turn, by its name and where it should be. */
function backupOf(entry: BlameEntry): Backup | null {
  if (entry.backup === null) return null;
  const spec = AGENTS.find(({ id }) => id === entry.agent);
  const path = spec?.backupPath?.(process.env, entry.parent_session_id ?? entry.session_id, entry.backup) ?? null;
  return { version: entry.backup, path, exists: path !== null && existsSync(path) };
}

/** Agents delete their copies after a while. */
function backupLine(entry: BlameEntry): string[] {
  const backup = backupOf(entry);
  return backup?.exists ? [`    ${dim(`before: ${harmless(backup.path ?? "")}`)}`] : [];
}

function pathsOf(entries: readonly BlameEntry[]): string[] {
  return [...new Set(entries.map((entry) => entry.path))];
}

function entryJson(entry: BlameEntry): Record<string, unknown> {
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
    backup: backupOf(entry),
    first_at: iso(entry.first_at),
    last_at: iso(entry.last_at),
    commits: entry.commits.map(({ sha, subject }) => ({ sha, subject })),
  };
}
