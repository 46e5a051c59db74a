// Commands that failed and later passed: what an agent most often has to find out twice.
import { oneLine } from "../core/text.ts";
import type { Db } from "../store/driver.ts";
import { changedPathsBetween } from "../store/file-touches.ts";
import { type CommandRow, shellCommands } from "../store/tool-uses.ts";

export interface FixedCommand {
  command: string;
  exitCode: number | undefined;
  /** The line of the output that says what went wrong. */
  error: string;
  /** Files changed between the failure and the success. */
  changed: string[];
  at: number;
}

/** Commands looked at, newest first: enough for several sessions of work. */
const MAX_COMMANDS = 400;

export function fixedCommands(db: Db, sessionDbIds: readonly number[], limit: number): FixedCommand[] {
  const failures = new Map<string, CommandRow>();
  const fixed = new Map<string, { failure: CommandRow; success: CommandRow }>();
  for (const row of shellCommands(db, sessionDbIds, MAX_COMMANDS)) {
    const key = normaliseCommand(row.command);
    if (row.is_error) {
      // Without an exit code it was not the command that failed: it was denied, interrupted or never run.
      if (row.exit_code === null) continue;
      // The newest failure counts, and a success before it no longer does.
      failures.set(key, row);
      fixed.delete(key);
      continue;
    }
    const failure = failures.get(key);
    if (failure === undefined) continue;
    failures.delete(key);
    fixed.set(key, { failure, success: row });
  }
  const newestFirst = [...fixed].sort(([, a], [, b]) => b.success.created_at - a.success.created_at);
  return newestFirst.slice(0, limit).map(([command, { failure, success }]) => ({
    command,
    exitCode: failure.exit_code ?? undefined,
    error: errorLine(failure.output ?? ""),
    changed: changedPathsBetween(db, failure.main_session_db_id, failure.created_at, success.created_at),
    at: success.created_at,
  }));
}

/** Half of all commands start with a change of folder, some with a comment; that is not what the command is about. */
export function normaliseCommand(command: string): string {
  return command
    .trim()
    .replace(/^(?:#[^\n]*\n\s*)+/, "")
    .replace(/^cd\s+(?:"[^"]*"|'[^']*'|\S+)\s*(?:&&|;)\s*/, "")
    .replace(/\s+/g, " ");
}

/** A line that begins with the error's name says it; one that only holds such a word may be echoed source. */
const ERROR_START = /^(?:\[?(?:error|fatal|panic|failed)\b|(?:[\w.]+\.)?\w*(?:Error|Exception)\b)/i;
const ERROR_WORDS =
  /error|fail|exception|cannot|can't|not found|no such|denied|undefined|unexpected|expected|panic|fatal/i;

export function errorLine(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^Exit code \d+$/.test(line));
  const line =
    lines.find((text) => ERROR_START.test(text)) ?? lines.find((text) => ERROR_WORDS.test(text)) ?? lines.at(-1);
  return oneLine(line ?? "", 160);
}
