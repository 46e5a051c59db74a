// Which sessions touched a file, and what they were asked for.
import { AppError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { type BlameRow, type KnownPath, knownPath, pathsEndingIn, touchesOfPath } from "../store/blame.ts";
import { type CommitRow, commitsInTurn } from "../store/commits.ts";
import type { Db } from "../store/driver.ts";
import type { Scope } from "../store/scope.ts";

export interface BlameEntry extends BlameRow {
  commits: CommitRow[];
}

export interface BlameRequest {
  /** The path as it was typed, and other ways to say the same, the likeliest first. */
  names: readonly string[];
  reads: boolean;
  limit: number;
}

/** A name that fits more files than this says too little. */
const MAX_FILES = 3;
const CANDIDATES_SHOWN = 8;

export function blame(db: Db, request: BlameRequest, scope: Scope): BlameEntry[] {
  const rows = matchPaths(db, request.names, scope).flatMap((file) => touchesOfPath(db, file, scope, request));
  return rows
    .sort((a, b) => b.last_at - a.last_at)
    .slice(0, request.limit)
    .map((row) => ({
      ...row,
      commits: commitsInTurn(db, { session_db_id: row.main_session_db_id, prompt_number: row.prompt_number }),
    }));
}

/** The stored path itself, else the only few that end in it. */
function matchPaths(db: Db, names: readonly string[], scope: Scope): KnownPath[] {
  for (const name of names) {
    const exact = knownPath(db, name, scope);
    if (exact.length > 0) return exact;
  }
  const typed = names[0] ?? "";
  const end = typed.replace(/^(?:\.{1,2}\/)+/, "").replace(/^\/+/, "");
  const files = end === "" ? [] : pathsEndingIn(db, end, scope, CANDIDATES_SHOWN);
  if (files.length <= MAX_FILES) return files;
  throw new AppError(
    "usage",
    `Many files are called "${oneLine(end, 120)}":\n${files.map((file) => `  ${file.path}`).join("\n")}`,
    {
      hint: "Give more of the path.",
    },
  );
}
