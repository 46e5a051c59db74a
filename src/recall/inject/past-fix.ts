// An error met before, found among what tools printed, where no observation tells of it.
import { oneLine } from "../../core/text.ts";
import { ago } from "../../core/text.ts";
import { quoteName, quoteOrders } from "../../core/privacy/fence.ts";
import type { Db } from "../../store/db/driver.ts";
import type { Line } from "./block.ts";
import { findFixes } from "../history/fix.ts";

/** Nearly the same words: something like it is another error. */
const ALIKE = 0.9;
const CANDIDATES = 20;

export function pastFix(
  db: Db,
  error: string,
  { projectId, ownSessionId, now }: { projectId: number; ownSessionId: number | undefined; now: number },
): Line | undefined {
  const met = findFixes(db, error, { projectId }, CANDIDATES).met.find(
    ({ fixedBy, likeness, failure }) =>
      fixedBy !== undefined &&
      likeness >= ALIKE &&
      failure.main_session_db_id !== ownSessionId &&
      failure.created_at < now,
  );
  if (met?.fixedBy === undefined) return undefined;
  const { fixedBy, changed, between, failure } = met;
  const after =
    changed.length > 0
      ? `after a change to ${changed
          .slice(0, 4)
          .map((path) => quoteName(path, 100))
          .join(", ")}`
      : between.length > 0 && between[0] !== undefined
        ? `after ${shown(between.at(-1)?.input)}`
        : "later";
  const how = fixedBy.isSameCommand ? `it passed ${after}` : `${code(fixedBy.command ?? "")} worked instead`;
  return {
    text: `- The same error was met ${ago(failure.created_at, now)} (“${quoteOrders(oneLine(met.error, 120))}”): ${how} (#t${failure.id}, #t${fixedBy.use.id})`,
    items: [`t${failure.id}`, `t${fixedBy.use.id}`],
  };
}

function shown(input: string | undefined): string {
  return code(/"command":"((?:[^"\\]|\\.)*)"/.exec(input ?? "")?.[1] ?? "another command");
}

function code(command: string): string {
  return `\`${quoteOrders(oneLine(command, 140)).replaceAll("`", "'")}\``;
}
