// Finds the turns that touched a file, or the files of a folder.
import { AppError } from "../../core/error.ts";
import { oneLine } from "../../core/text.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  type BlameRow,
  knownPaths,
  pathsEndingIn,
  touchesInFolder,
  touchesInFoldersNamed,
  touchesOfPath,
} from "../../store/reads/blame.ts";
import type { Scope } from "../../store/reads/scope.ts";
import { commitsOf } from "../../store/tables/commits.ts";

export type BlameEntry = ReturnType<typeof blame>[number];

export interface BlameRequest {
  /** The path as typed, then the same path relative to other folders, most likely first. */
  names: readonly string[];
  reads: boolean;
  limit: number;
}

/** If more files than this match, the path is ambiguous. */
const MAX_FILES = 3;
const CANDIDATES_SHOWN = 8;

export function blame(db: Db, request: BlameRequest, scope: Scope) {
  return findTouches(db, request, scope)
    .sort((a, b) => b.last_at - a.last_at)
    .slice(0, request.limit)
    .map((row) => ({ ...row, commits: commitsOf(db, row.main_session_db_id, row.prompt_number) }));
}

/** Tries the exact file, the exact folder, files whose path ends with the name, then folders with the name. */
function findTouches(db: Db, request: BlameRequest, scope: Scope): BlameRow[] {
  const { names } = request;
  const exact = names.map((name) => knownPaths(db, name, scope)).find((files) => files.length > 0);
  if (exact !== undefined) return exact.flatMap((file) => touchesOfPath(db, file, scope, request));
  for (const name of names) {
    const below = touchesInFolder(db, name, scope, request);
    if (below.length > 0) return below;
  }
  const end = (names[0] ?? "").replace(/^(?:\.{1,2}\/)+/, "").replace(/^\/+/, "");
  if (end === "" || end === ".") return [];
  const files = pathsEndingIn(db, end, scope, CANDIDATES_SHOWN);
  if (files.length > MAX_FILES) {
    const list = files.map((file) => `  ${file.path}`).join("\n");
    throw new AppError("usage", `Several files match "${oneLine(end, 120)}":\n${list}`, {
      hint: "Give more of the path.",
    });
  }
  if (files.length > 0) return files.flatMap((file) => touchesOfPath(db, file, scope, request));
  return touchesInFoldersNamed(db, end, scope, request);
}
