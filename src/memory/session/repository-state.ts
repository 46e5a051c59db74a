// What a session left in the repository when a turn ended: changes without a commit, commits without a push, and pull
// requests without a merge. Read from the git and gh commands that the agent ran.
import { splitCommand } from "../../core/shell-command.ts";
import { isTrunk } from "../../core/work-tree.ts";
import type { GitCommand } from "../../store/reads/git-activity.ts";
import { commitMessages } from "../sources/commits.ts";
import type { CommitRow } from "../../store/tables/commits.ts";

export interface RepositoryState {
  /** Changed files of the project that no later commit can contain, last changed first. */
  uncommitted: string[];
  /** The subject of the last commit, if it failed. */
  failedCommit?: string;
  /** All commits of the session, oldest first. */
  commits: MadeCommit[];
  hasCommits: boolean;
  isPushed: boolean;
  /** The session looked at CI, but not after its last push. */
  isCiUnchecked: boolean;
  /** Test files that were changed after the last test run. */
  untestedFiles: string[];
  /** Subjects of commits that no later push can contain, oldest first. */
  unpushed: string[];
  /** Pull requests that the session opened, oldest first. */
  prs: PullRequest[];
  /** Those that it did not merge or close. */
  openPrs: PullRequest[];
  /** The branch that the last push created, if no pull request was opened after it. */
  branchWithoutPr?: string;
}

export interface PullRequest {
  number: string;
  title: string;
  isDraft: boolean;
}

export interface MadeCommit {
  /** Undefined if git did not report it. */
  sha?: string;
  subject: string;
  at: number;
}

type ReportedCommit = Pick<CommitRow, "sha" | "subject" | "created_at">;

interface GitEvidence {
  commands: readonly GitCommand[];
  /** Commits that git reported. */
  commits: readonly ReportedCommit[];
  changes: readonly { path: string; at: number }[];
  testRuns: readonly number[];
  /** The agent's last message: says whether a commit was made by a command that failed. */
  said: string;
}

export function repositoryState({
  commands,
  commits: reported,
  changes,
  testRuns,
  said,
}: GitEvidence): RepositoryState {
  const commits = madeCommits(commands, reported);
  const failed = commands.findLast(({ command, isError }) => isError && isGit(command, COMMIT));
  // Hooks can fail a command after git has made the commit.
  const isMade = failed !== undefined && COMMITTED.test(said);
  const lastCommit = Math.max(commits.at(-1)?.at ?? 0, isMade ? failed.at : 0);
  const failedCommit = failed !== undefined && failed.at > lastCommit ? messageSubject(failed.command) : "";
  const lastPush = commands.findLast(({ command, isError }) => !isError && isGit(command, PUSH));
  const lastLook = commands.findLast(({ command }) => isGit(command, CI_LOOK));
  const prs = pullRequests(commands);
  const branch = lastPush === undefined ? undefined : newBranch(lastPush.command);
  const hasLaterPr = commands.some(({ command, at }) => at >= (lastPush?.at ?? 0) && isGit(command, PR_CREATE));
  return {
    uncommitted: changes
      .filter(({ path, at }) => at > lastCommit && isInProject(path))
      .map(({ path }) => path)
      .toReversed(),
    ...(failedCommit !== "" && { failedCommit }),
    commits,
    hasCommits: lastCommit > 0,
    isPushed: lastPush !== undefined && lastPush.at >= lastCommit,
    unpushed: commits.filter(({ at }) => at > (lastPush?.at ?? 0)).map(({ subject }) => subject),
    isCiUnchecked: lastLook !== undefined && lastPush !== undefined && lastLook.at < lastPush.at,
    untestedFiles: changes
      .filter(({ path, at }) => TEST_FILE.test(path) && isInProject(path) && !testRuns.some((run) => run > at))
      .map(({ path }) => path),
    prs: prs.map(({ pr }) => pr),
    openPrs: prs.filter(({ isOpen }) => isOpen).map(({ pr }) => pr),
    ...(branch !== undefined && !hasLaterPr && { branchWithoutPr: branch }),
  };
}

const COMMIT = /^git (?:-C \S+ )?(?:commit|cherry-pick|revert)\b/;
const PUSH = /^git (?:-C \S+ )?push\b(?!.*--dry-run)/;
const CI_LOOK = /^gh (?:run|pr checks)\b/;
const TEST_FILE = /(?:[._-](?:test|spec)|_test|(?:^|\/)test_[^/]*)\.\w+$/;
const PR_CREATE = /^gh pr create\b/;
/** "Committed as `1a2b3c4`", "The commit went through", "The commit `1a2b3c4` includes" */
const COMMITTED =
  /(?<!\b(?:not|nothing|un)\s?)\bcommitted\b|\bcommit\b[^.\n]{0,30}(?:went through|succeeded|`[0-9a-f]{7,})/i;

export function isCommit(command: string): boolean {
  return isGit(command, COMMIT);
}

export function isPush(command: string): boolean {
  return isGit(command, PUSH);
}

function isGit(command: string, pattern: RegExp): boolean {
  return gitParts(command).some((part) => pattern.test(part));
}

/** The parts of a command line, without here-documents: "git commit -m \"$(cat <<EOF … EOF)\" && git push". */
function gitParts(command: string): string[] {
  return splitCommand(withoutHereDocuments(command)).map((part) =>
    part.replace(/^(?:rtk|sudo|env|[A-Z_]+=\S+)\s+/, ""),
  );
}

/** Also removes here-documents within quotes. Line by line, because a pattern takes minutes for some commands. */
function withoutHereDocuments(command: string): string {
  const kept: string[] = [];
  let skipped: string[] = [];
  let name: string | undefined;
  for (const line of command.split("\n")) {
    if (name === undefined) {
      const start = /<<-?\s*['"]?(\w+)/.exec(line);
      name = start?.[1];
      kept.push(line.slice(0, start?.index));
      skipped = [line.slice(start?.index ?? line.length)];
    } else if (/^\s*(\w+)/.exec(line)?.[1] === name) {
      kept[kept.length - 1] += line.trimStart().slice(name.length);
      name = undefined;
    } else skipped.push(line);
  }
  const rest = name === undefined ? "" : skipped.join("\n");
  return kept.join("\n") + rest;
}

/** The commits that git reported, and those of commands that succeeded without git's usual output. */
function madeCommits(commands: readonly GitCommand[], reported: readonly ReportedCommit[]): MadeCommit[] {
  const commits: MadeCommit[] = reported.map(({ sha, subject, created_at: at }) => ({ sha, subject, at }));
  for (const { command, isError, output, at } of commands) {
    if (isError || commits.some((commit) => Math.abs(commit.at - at) < SAME_COMMAND_MS)) continue;
    if (!isGit(command, COMMIT) || /nothing (?:added )?to commit|no changes added/.test(output)) continue;
    commits.push({ subject: messageSubject(command), at });
  }
  return commits.sort((a, b) => a.at - b.at);
}

/** A commit is stored with the time of its command. */
const SAME_COMMAND_MS = 2_000;
const SUBJECT_CHARS = 120;

/** "" without a message. */
function messageSubject(command: string): string {
  return commitMessages(command).at(-1)?.subject.slice(0, SUBJECT_CHARS) ?? "";
}

function pullRequests(commands: readonly GitCommand[]): { pr: PullRequest; isOpen: boolean }[] {
  const prs = new Map<string, { pr: PullRequest; isOpen: boolean }>();
  for (const { command, output, isError } of commands) {
    if (isError) continue;
    for (const part of gitParts(command)) {
      const number = PR_CREATE.test(part) ? /\/(?:pull|merge_requests)\/(\d+)/.exec(output)?.[1] : undefined;
      if (number !== undefined) {
        const pr = { number, title: prTitle(command), isDraft: /\s--draft\b/.test(part) };
        prs.set(number, { pr, isOpen: true });
      }
      const closed = /^gh pr (?:merge|close)\b(?:\s+\S*?(\d+))?/.exec(part);
      const known = closed === null ? undefined : prs.get(closed[1] ?? [...prs.keys()].at(-1) ?? "");
      if (known !== undefined) known.isOpen = false;
    }
  }
  return [...prs.values()];
}

function prTitle(command: string): string {
  const quoted = /--title[= ]+(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/.exec(command);
  return (quoted?.[1] ?? quoted?.[2] ?? "").replace(/\\(.)/g, "$1").slice(0, SUBJECT_CHARS);
}

/** "git push -u origin fix/login" -> "fix/login" */
function newBranch(command: string): string | undefined {
  const push = gitParts(command).findLast((part) => PUSH.test(part)) ?? "";
  const branch = /\s(?:-u|--set-upstream)\s+\S+\s+(\S+)/.exec(push)?.[1];
  return branch === undefined || branch === "HEAD" || isTrunk(branch) ? undefined : branch;
}

/** Scratch files and the agents' own folders are not part of the project's work. */
function isInProject(path: string): boolean {
  return !/^(?:\/|[A-Za-z]:|~|\.\.|\.claude\/|\.codex\/)/.test(path) && !/(?:^|\/)(?:tmp|scratchpad)\//.test(path);
}
