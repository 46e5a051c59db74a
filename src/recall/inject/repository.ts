// What happened to the repository since a session, told from git's own notes and from the times of files.
import { quoteName } from "../../core/privacy/fence.ts";
import { join, isAbsolute } from "node:path";
import { statOf } from "../../platform/read-file.ts";
import type { WorkTree } from "../../core/work-tree.ts";
import type { Db } from "../../store/db/driver.ts";
import { changedFiles } from "../../store/tables/file-touches.ts";
import type { SessionRow } from "../../store/tables/sessions.ts";
import type { Line } from "./block.ts";

const FILES_LOOKED_AT = 12;
const COMMITS_SHOWN = 4;
const SUBJECT_CHARS = 80;
/** A hook runs a moment after the write it tells of. */
const SAME_MOMENT_MS = 60_000;

export function repositoryLines(db: Db, last: SessionRow, tree: WorkTree | undefined): Line[] {
  if (tree === undefined) return [];
  const lines: string[] = [];
  if (tree.branch !== undefined && last.git_branch !== null && tree.branch !== last.git_branch)
    lines.push(`Now on branch ${quoteName(tree.branch, 60)} (that session was on ${quoteName(last.git_branch, 60)})`);
  const since = tree.moves.filter(({ at }) => at > last.last_at + SAME_MOMENT_MS);
  const commits = since.filter(({ note }) => /^commit\b/.test(note));
  if (commits.length > 0) {
    const named = commits
      .slice(-COMMITS_SHOWN)
      .map(({ note }) => `“${quoteName(note.replace(/^commit[^:]*: /, ""), SUBJECT_CHARS)}”`);
    lines.push(
      `${commits.length} ${commits.length === 1 ? "commit" : "commits"} since, the last: ${named.toReversed().join(", ")}`,
    );
  }
  const others = since.findLast(({ note }) => /^(?:pull|merge|rebase|reset|cherry-pick|revert)\b/.test(note));
  if (others !== undefined) lines.push(`HEAD moved: ${quoteName(others.note, SUBJECT_CHARS)}`);
  const files = changedFiles(db, last.id).slice(0, FILES_LOOKED_AT);
  const state = files.map(({ path, last_at }) => {
    const stat = statOf(isAbsolute(path) ? path : join(tree.top, path));
    if (stat === undefined) return { path, kind: "gone" };
    return { path, kind: stat.mtimeMs > Math.max(last.last_at, last_at) + SAME_MOMENT_MS ? "changed" : "same" };
  });
  for (const [kind, words] of [
    ["changed", "Changed since by others"],
    ["gone", "Gone since"],
  ] as const) {
    const paths = state.filter((file) => file.kind === kind).map((file) => quoteName(file.path, 100));
    if (paths.length > 0) lines.push(`${words}: ${paths.join(", ")}`);
  }
  return lines.map((text) => ({ text }));
}
