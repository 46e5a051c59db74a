// Lines about changes since the last session: commits and HEAD moves from git's reflog, changed and deleted files.
import { isAbsolute, join } from "node:path";
import { quoteName } from "../../core/privacy/fence.ts";
import type { WorkTree } from "../../core/work-tree.ts";
import { statOf } from "../../platform/read-file.ts";
import type { Db } from "../../store/db/driver.ts";
import { changedFiles } from "../../store/tables/file-touches.ts";
import type { SessionRow } from "../../store/tables/sessions.ts";
import { type Line, quoteNames } from "./block.ts";

const MAX_FILES = 12;
const COMMITS_SHOWN = 4;
const SUBJECT_CHARS = 80;
/** File times and recorded times of the same write differ by up to a minute. */
const SAME_MOMENT_MS = 60_000;

export function repositoryLines(db: Db, last: SessionRow, tree: WorkTree | undefined): Line[] {
  if (tree === undefined) return [];
  const lines: string[] = [];
  if (tree.branch !== undefined && last.git_branch !== null && tree.branch !== last.git_branch)
    lines.push(`Now on branch ${quoteName(tree.branch, 60)} (that session was on ${quoteName(last.git_branch, 60)})`);
  const moves = tree.moves.filter(({ at }) => at > last.last_at + SAME_MOMENT_MS).toReversed();
  const commits = moves.filter(({ note }) => /^commit\b/.test(note));
  if (commits.length > 0) {
    const subjects = commits
      .slice(0, COMMITS_SHOWN)
      .map(({ note }) => `“${quoteName(note.replace(/^commit[^:]*: /, ""), SUBJECT_CHARS)}”`);
    const noun = commits.length === 1 ? "commit" : "commits";
    lines.push(`${commits.length} ${noun} since, the last: ${subjects.join(", ")}`);
  }
  const other = moves.find(({ note }) => /^(?:pull|merge|rebase|reset|cherry-pick|revert)\b/.test(note));
  if (other !== undefined) lines.push(`HEAD moved: ${quoteName(other.note, SUBJECT_CHARS)}`);
  const changed: string[] = [];
  const gone: string[] = [];
  for (const { path, last_at } of changedFiles(db, last.id).slice(0, MAX_FILES)) {
    const stat = statOf(isAbsolute(path) ? path : join(tree.top, path));
    if (stat === undefined) gone.push(path);
    else if (stat.mtimeMs > Math.max(last.last_at, last_at) + SAME_MOMENT_MS) changed.push(path);
  }
  if (changed.length > 0) lines.push(`Changed since by others: ${quoteNames(changed, MAX_FILES, 100)}`);
  if (gone.length > 0) lines.push(`Gone since: ${quoteNames(gone, MAX_FILES, 100)}`);
  return lines.map((text) => ({ text }));
}
