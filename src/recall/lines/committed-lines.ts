// The session to which a line leads that no recorded edit wrote: by a command that wrote the file, or by its commit.
import { asObject, asString, parseJson } from "../../core/json.ts";
import { mayWriteFile } from "../../core/lines/shell-writes.ts";
import type { Db } from "../../store/db/driver.ts";
import { recordedEdits, sessionStarts, usesNaming } from "../../store/reads/line-evidence.ts";
import type { CommitSession } from "../../store/tables/commits.ts";
import type { BlamedCommit, BlamedLine } from "./blame-commits.ts";

/** A session behind the commit ran a command that writes the file, or had a subagent work on it. */
const BY_COMMAND = 0.6;
/** The session edited the file and made the commit: the line may be its own or by hand. */
const COMMITTED_BY = 0.5;
/** An edit that is recorded later than a commit cannot have written the commit's lines. */
export const CLOCK_MS = 2 * 60_000;

export interface CommittedLine {
  turn: { sessionDbId: number; ownSessionDbId: number; promptNumber: number; at: number };
  basis: "command" | "commit";
  confidence: number;
}

/**
 * `byCommit`: the sessions behind each commit. A session that only made the commit gets no lines: it may have committed
 * the work of others. One that is behind it by files alone gets none either.
 */
export function findCommittedLines(
  db: Db,
  projectId: number,
  byCommit: ReadonlyMap<string, readonly CommitSession[]>,
): (line: BlamedLine | undefined) => CommittedLine | undefined {
  const known = new Map<string, CommittedLine | undefined>();
  return (line) => {
    if (line === undefined) return undefined;
    const key = `${line.commit.sha}:${line.path}`;
    if (!known.has(key)) known.set(key, findOfFile(db, projectId, byCommit.get(line.commit.sha) ?? [], line));
    return known.get(key);
  };
}

function findOfFile(
  db: Db,
  projectId: number,
  links: readonly CommitSession[],
  { path, commit }: BlamedLine,
): CommittedLine | undefined {
  const behind = startedBefore(
    db,
    links.filter(({ basis }) => basis !== "files"),
    commit,
  );
  if (behind.length === 0) return undefined;
  const until = commit.committedAt + CLOCK_MS;
  const editors = new Set(recordedEdits(db, projectId, [path], until).map((edit) => edit.session_db_id));
  const edited = behind.filter((link) => editors.has(link.session_db_id));
  // A commit that replaces the session's may have been amended by hand.
  const made = edited.find(({ basis }) => basis === "output" || basis === "trailer");
  if (made !== undefined)
    return {
      turn: turnOf(made.session_db_id, made.prompt_number, made.created_at),
      basis: "commit",
      confidence: COMMITTED_BY,
    };
  // In a file that the session edited, other lines are by hand.
  if (edited.length > 0) return undefined;
  return writtenByCommand(db, { path, until, sessionDbIds: behind.map((link) => link.session_db_id) });
}

/** A session that began later cannot have written the commit's lines: it amended, rebased or cherry-picked it. */
function startedBefore(db: Db, links: readonly CommitSession[], { authoredAt }: BlamedCommit): CommitSession[] {
  if (links.length === 0) return [];
  const starts = sessionStarts(
    db,
    links.map((link) => link.session_db_id),
  );
  return links.filter((link) => (starts.get(link.session_db_id) ?? Infinity) <= authoredAt + CLOCK_MS);
}

/** Of the turns of these sessions, the one that wrote the file most often. */
function writtenByCommand(
  db: Db,
  request: { path: string; until: number; sessionDbIds: readonly number[] },
): CommittedLine | undefined {
  const uses = usesNaming(db, request).filter(({ name, input }) => {
    const fields = asObject(parseJson(input));
    if (name === "Bash") return mayWriteFile(asString(fields?.["command"]) ?? "", request.path);
    return !READING_SUBAGENT.test(asString(fields?.["subagent_type"]) ?? "");
  });
  const turns = [...Map.groupBy(uses, (use) => `${use.session_db_id} ${use.prompt_number}`).values()];
  const [best] = turns.toSorted((a, b) => b.length - a.length || (b[0]?.at ?? 0) - (a[0]?.at ?? 0));
  const [use] = best ?? [];
  if (use === undefined) return undefined;
  return { turn: turnOf(use.session_db_id, use.prompt_number, use.at), basis: "command", confidence: BY_COMMAND };
}

/** Subagents that change no files: those of Claude Code, and reviewers. */
const READING_SUBAGENT = /^(?:explore|plan)$|review/i;

function turnOf(sessionDbId: number, promptNumber: number, at: number): CommittedLine["turn"] {
  return { sessionDbId, ownSessionDbId: sessionDbId, promptNumber, at };
}
