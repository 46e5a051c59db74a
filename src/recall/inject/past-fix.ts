// Finds, after a failure, the change that made the same command pass when the same error occurred before.
import { errorMessage, lastError, normaliseError } from "../../core/error-text.ts";
import { commandKey } from "../../core/shell-command.ts";
import type { Db } from "../../store/db/driver.ts";
import { wrongItems } from "../../store/tables/wrong-items.ts";
import { findFixes, type Occurrence } from "../history/fix.ts";
import { isOtherForm, WRONG_USE } from "./command-warning.ts";
import type { MatchRequest } from "./match-prompt.ts";
import { statements } from "./match-turns.ts";

export interface PastFix {
  failure: Occurrence["failure"];
  success: Occurrence["failure"];
  error: string;
  /** The files that were changed in between. */
  changed: string[];
  /** What the agent said about it. */
  said: string | undefined;
  /** If the command was wrong: the command that failed and the form that worked. */
  forms: { failed: string; worked: string } | undefined;
}

const MAX_OCCURRENCES = 20;
/** With more changed files, the change was not made for this error. */
const MAX_CHANGED = 4;

export function pastFixOf(db: Db, output: string, request: MatchRequest & { now: number }): PastFix | undefined {
  const error = errorMessage(lastError(output));
  if (error === undefined) return undefined;
  const wanted = normaliseError(error);
  const wrong = wrongItems(db);
  const isInjected = ({ id }: { id: number }): boolean => request.shown.has(`t${id}`) || wrong.has(`t${id}`);
  for (const one of findFixes(db, error, { projectId: request.projectId }, MAX_OCCURRENCES).occurrences) {
    const { failure, fixedBy } = one;
    const isEarlier = failure.main_session_db_id !== request.ownSessionId && failure.created_at < request.now;
    if (!isEarlier || fixedBy === undefined || normaliseError(one.error) !== wanted) continue;
    if (isInjected(failure) || isInjected(fixedBy.use)) continue;
    const found = { failure, success: fixedBy.use, error: one.error };
    const forms = formsOf(one, error);
    if (forms !== undefined) return { ...found, changed: [], said: undefined, forms };
    const changed = one.changed.filter((path) => isTransferable(path, output));
    if (fixedBy.isSameCommand && changed.length > 0 && one.changed.length <= MAX_CHANGED)
      return { ...found, changed, said: saidAbout(one.closing, changed), forms };
  }
  return undefined;
}

function formsOf({ command, fixedBy }: Occurrence, error: string): PastFix["forms"] {
  const [failed, worked] = [commandKey(command ?? ""), commandKey(fixedBy?.command ?? "")];
  const isWrongUse = WRONG_USE.test(error) && fixedBy?.isSameCommand === false && isOtherForm(worked, failed);
  return isWrongUse ? { failed, worked } : undefined;
}

/** Files that set up tools. A change to them fixes an error wherever it occurs. */
const SET_UP =
  /(?:^|\/)(?:package\.json|[\w.-]*config[\w.-]*|\.?[\w-]*rc(?:\.\w+)?|\.env[\w.]*|Dockerfile[\w.-]*|Makefile|Cargo\.toml|pyproject\.toml|requirements[\w.-]*\.txt|go\.mod|Gemfile|tsconfig[\w.]*\.json|biome\.jsonc?|[\w.-]+\.ya?ml)$/i;

/** Another error of the same kind in other code needs another change: a lint rule, a type error. */
function isTransferable(path: string, output: string): boolean {
  return SET_UP.test(path) || output.includes(path.split("/").slice(-2).join("/"));
}

function saidAbout(closing: string | undefined, changed: readonly string[]): string | undefined {
  const names = changed.map((path) => path.slice(path.lastIndexOf("/") + 1));
  return statements(closing ?? "").find((text) => names.some((name) => text.includes(name)));
}
