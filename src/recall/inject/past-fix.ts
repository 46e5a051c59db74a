// The same error in an earlier tool output, and what fixed it: for errors that no observation is about.
import { quoteOrders } from "../../core/privacy/fence.ts";
import { ago, oneLine } from "../../core/text.ts";
import type { Db } from "../../store/db/driver.ts";
import { findFixes } from "../history/fix.ts";
import { type Line, quoteLine, quoteNames } from "./block.ts";

/** Less alike is another error. */
const ALIKE = 0.9;
const CANDIDATES = 20;

export function pastFix(
  db: Db,
  error: string,
  { projectId, ownSessionId, now }: { projectId: number; ownSessionId: number | undefined; now: number },
): Line | undefined {
  for (const { fixedBy, likeness, failure, changed, between, error: line } of findFixes(
    db,
    error,
    { projectId },
    CANDIDATES,
  ).met) {
    const isEarlier = failure.main_session_db_id !== ownSessionId && failure.created_at < now;
    if (fixedBy === undefined || likeness < ALIKE || !isEarlier) continue;
    const last = between.at(-1);
    let after = "later";
    if (changed.length > 0) after = `after a change to ${quoteNames(changed, 4, 100)}`;
    else if (last !== undefined) after = `after ${code(rawCommand(last.input) ?? "another command")}`;
    const how = fixedBy.isSameCommand ? `it passed ${after}` : `${code(fixedBy.command ?? "")} worked instead`;
    const items = [`t${failure.id}`, `t${fixedBy.use.id}`];
    const met = `The same error was met ${ago(failure.created_at, now)} (“${quoteLine(line, 120)}”)`;
    return { text: `- ${met}: ${how} (#${items.join(", #")})`, items };
  }
  return undefined;
}

/** Without JSON.parse: quotes and newlines stay escaped, as a shell needs them on one line. */
function rawCommand(input: string): string | undefined {
  return /"command":"((?:[^"\\]|\\.)*)"/.exec(input)?.[1];
}

function code(command: string): string {
  return `\`${quoteOrders(oneLine(command, 140)).replaceAll("`", "'")}\``;
}
