// Which sessions touched a file or what is in a folder, and what they were asked for.
import { AppError } from "../../core/error.ts";
import { oneLine } from "../../core/text.ts";
import {
  type BlameRow,
  type KnownPath,
  knownPath,
  pathsEndingIn,
  touchesBelow,
  touchesBelowAny,
  touchesOfPath,
} from "../../store/reads/blame.ts";
import { type CommitRow, commitsInTurn } from "../../store/tables/commits.ts";
import type { Db } from "../../store/db/driver.ts";
import type { Scope } from "../../store/reads/scope.ts";

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
  return touches(db, request, scope)
    .sort((a, b) => b.last_at - a.last_at)
    .slice(0, request.limit)
    .map((row) => ({
      ...row,
      commits: commitsInTurn(db, { session_db_id: row.main_session_db_id, prompt_number: row.prompt_number }),
    }));
}

/** Of the file itself, else of what is below the folder, else of the only few files that end so, else below folders called so. */
function touches(db: Db, request: BlameRequest, scope: Scope): BlameRow[] {
  const { names } = request;
  const exact = names.map((name) => knownPath(db, name, scope)).find((files) => files.length > 0);
  if (exact !== undefined) return exact.flatMap((file) => touchesOfPath(db, file, scope, request));
  for (const name of names) {
    const below = touchesBelow(db, name, scope, request);
    if (below.length > 0) return below;
  }
  const typed = names[0] ?? "";
  const end = typed.replace(/^(?:\.{1,2}\/)+/, "").replace(/^\/+/, "");
  if (end === "" || end === ".") return [];
  const ending = filesEndingIn(db, end, scope);
  if (ending.length > 0) return ending.flatMap((file) => touchesOfPath(db, file, scope, request));
  return touchesBelowAny(db, end, scope, request);
}

function filesEndingIn(db: Db, end: string, scope: Scope): KnownPath[] {
  const files = pathsEndingIn(db, end, scope, CANDIDATES_SHOWN);
  if (files.length <= MAX_FILES) return files;
  throw new AppError(
    "usage",
    `Many files are called "${oneLine(end, 120)}":\n${files.map((file) => `  ${file.path}`).join("\n")}`,
    {
      hint: "Give more of the path.",
    },
  );
}
