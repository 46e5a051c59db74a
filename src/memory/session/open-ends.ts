// What is open in the repository when a turn ends, one sentence per open end.
import { clip } from "../../core/prose.ts";
import { count, listText } from "../../core/text.ts";
import type { Db } from "../../store/db/driver.ts";
import { changesUpTo, commandsUpTo, gitCommands, projectGitCommands } from "../../store/reads/git-activity.ts";
import { commitsMade } from "../../store/tables/commits.ts";
import { projectIdOfSession } from "../../store/tables/projects.ts";
import { lastResponse } from "../../store/tables/prompts.ts";
import { purposeOf } from "../extract/commands.ts";
import { subjectText } from "../extract/commit-subject.ts";
import { isCommit, isPush, type PullRequest, type RepositoryState, repositoryState } from "./repository-state.ts";

export interface RepositoryOpenEnds {
  /** No commit was made, although the agent commits in this project. */
  isUncommitted: boolean;
  /** Changes without a commit, commits without a push. */
  local: string[];
  /** Pull requests without a merge, a branch without a pull request. */
  published: string[];
}

export function readRepositoryState(db: Db, sessionDbId: number, lastTurn: number): RepositoryState {
  return repositoryState({
    commands: gitCommands(db, sessionDbId, lastTurn),
    commits: commitsMade(db, sessionDbId).filter((commit) => commit.prompt_number <= lastTurn),
    changes: changesUpTo(db, sessionDbId, lastTurn),
    testRuns: testRunsUpTo(db, sessionDbId, lastTurn),
    said: lastResponse(db, sessionDbId, lastTurn) ?? "",
  });
}

/** The times of test commands, whether they passed or not. */
function testRunsUpTo(db: Db, sessionDbId: number, lastTurn: number): number[] {
  const commands = commandsUpTo(db, sessionDbId, lastTurn);
  return commands.filter(({ command }) => purposeOf(command) === "test").map(({ at }) => at);
}

export function repositoryOpenEnds(db: Db, sessionDbId: number, state: RepositoryState): RepositoryOpenEnds {
  const isClean = state.uncommitted.length + state.unpushed.length === 0;
  return describe(state, isClean ? NO_HABITS : habitsOf(db, sessionDbId));
}

const FILES_SHOWN = 4;
const COMMITS_SHOWN = 2;
const MAX_PRS = 3;
const SUBJECT_CHARS = 90;

function describe(state: RepositoryState, habits: Habits): RepositoryOpenEnds {
  const { uncommitted, failedCommit, hasCommits, unpushed, openPrs, branchWithoutPr, isCiUnchecked, untestedFiles } =
    state;
  const local: string[] = [];
  if (uncommitted.length > 0 && habits.commits) {
    const files = listText(uncommitted, FILES_SHOWN);
    const be = uncommitted.length === 1 ? "is" : "are";
    if (failedCommit !== undefined) local.push(`The commit ${quoted(failedCommit)} failed.`);
    local.push(
      hasCommits
        ? `${files} ${be} changed but not committed.`
        : `Nothing is committed: the session made no commit of its changes to ${files}.`,
    );
  }
  if (unpushed.length > 0 && habits.pushes) {
    // The message of `git commit --amend --no-edit` is unknown.
    const latest = [...new Set(unpushed.filter(Boolean).map(quoted))].toReversed();
    const names = latest.length === 0 ? "" : `: ${listText(latest, COMMITS_SHOWN)}`;
    const commits = unpushed.length === 2 ? "Both commits" : count(unpushed.length, "commit");
    const be = unpushed.length === 1 ? "is" : "are";
    local.push(`${commits} ${be} ahead of origin and not pushed${names}.`);
  }
  if (isCiUnchecked) local.push("The CI run after the last push has not been seen.");
  if (untestedFiles.length > 0)
    local.push(`No test run is reported after the last change to ${listText(untestedFiles, FILES_SHOWN)}.`);
  const published = openPrs.length === 0 ? [] : [prLine(openPrs)];
  if (branchWithoutPr !== undefined)
    published.push(`Branch ${branchWithoutPr} is pushed: no pull request and no merge is reported.`);
  return { isUncommitted: uncommitted.length > 0 && habits.commits && !hasCommits, local, published };
}

function prLine(prs: readonly PullRequest[]): string {
  const names = prs.map(({ number, title, isDraft }) => {
    const name = title === "" ? "" : ` (${clip(subjectText(title), SUBJECT_CHARS)})`;
    return `${isDraft ? "draft PR" : "PR"} #${number}${name}`;
  });
  const [be, pronoun, verb] = prs.length === 1 ? ["is", "it is", "waits"] : ["are", "they are", "wait"];
  return `${listText(names.toReversed(), MAX_PRS).replace(/^d/, "D")} ${be} open and ${verb} for review: ${pronoun} not reported merged.`;
}

const PUBLISHED = /^(?:(?:Draft )?PR #\d+.* not reported merged|Branch \S+ is pushed: .* is reported)\.$/;

/** Removes `published` lines from the summary of a turn that later turns followed. */
export function withoutPublished(nextSteps: string): string {
  return nextSteps
    .split("\n")
    .filter((line) => !PUBLISHED.test(line))
    .join("\n");
}

function quoted(subject: string): string {
  return `“${clip(subjectText(subject), SUBJECT_CHARS)}”`;
}

interface Habits {
  commits: boolean;
  pushes: boolean;
}

const NO_HABITS: Habits = { commits: false, pushes: false };

/** In a project where the user commits or pushes, the agent's commits and changes are no open ends. */
function habitsOf(db: Db, sessionDbId: number): Habits {
  const projectId = projectIdOfSession(db, sessionDbId);
  const commands = projectId === undefined ? [] : projectGitCommands(db, projectId);
  const sessionsWith = (is: (command: string) => boolean): number =>
    new Set(commands.filter(({ command }) => is(command)).map((one) => one.sessionDbId)).size;
  const committing = sessionsWith(isCommit);
  return { commits: committing > 0, pushes: sessionsWith(isPush) * 3 >= Math.max(1, committing) };
}
