// What is open in the repository when a turn ends, one sentence per open end.
import { clip } from "../../core/prose.ts";
import { count, listText } from "../../core/text.ts";
import type { Db } from "../../store/db/driver.ts";
import { changesUpTo, gitCommands, projectGitCommands } from "../../store/reads/git-activity.ts";
import { commitsOf } from "../../store/tables/commits.ts";
import { projectIdOfSession } from "../../store/tables/projects.ts";
import { lastResponse } from "../../store/tables/prompts.ts";
import { subjectText } from "./commit-subject.ts";
import { isCommit, isPush, type RepositoryState, repositoryState } from "./repository-state.ts";

export function repositoryOpenEnds(db: Db, sessionDbId: number, lastTurn: number): string[] {
  const commands = gitCommands(db, sessionDbId, lastTurn);
  const changes = changesUpTo(db, sessionDbId, lastTurn);
  if (commands.length === 0 && changes.length === 0) return [];
  const state = repositoryState({
    commands,
    commits: commitsOf(db, sessionDbId).filter((commit) => commit.prompt_number <= lastTurn),
    changes,
    said: lastResponse(db, sessionDbId, lastTurn) ?? "",
  });
  return describe(state, habitsOf(db, sessionDbId));
}

const FILES_SHOWN = 4;
const COMMITS_SHOWN = 2;
const MAX_PRS = 3;
const SUBJECT_CHARS = 90;

function describe(state: RepositoryState, habits: ReturnType<typeof habitsOf>): string[] {
  const { uncommitted, hasCommits, unpushed, openPrs, branchWithoutPr } = state;
  const lines: string[] = [];
  if (uncommitted.length > 0 && habits.commits && !hasCommits) {
    lines.push(`Nothing is committed in this session: ${listText(uncommitted, FILES_SHOWN)} changed.`);
  } else if (uncommitted.length > 0 && habits.commits) {
    const verb = uncommitted.length === 1 ? "change to" : "changes to";
    const be = uncommitted.length === 1 ? "is" : "are";
    lines.push(`The ${verb} ${listText(uncommitted, FILES_SHOWN)} ${be} not committed.`);
  }
  if (unpushed.length > 0 && habits.pushes) {
    const latest = [...new Set(unpushed.map(quoted))].toReversed();
    const be = unpushed.length === 1 ? "is" : "are";
    lines.push(`${count(unpushed.length, "commit")} ${be} not pushed: ${listText(latest, COMMITS_SHOWN)}.`);
  }
  for (const { number, title, isDraft } of openPrs.slice(-MAX_PRS)) {
    const name = title === "" ? "" : ` (${clip(subjectText(title), SUBJECT_CHARS)})`;
    lines.push(`${isDraft ? "Draft PR" : "PR"} #${number}${name} is open and not reported as merged.`);
  }
  if (branchWithoutPr !== undefined) lines.push(`Branch ${branchWithoutPr} is pushed; no pull request was opened.`);
  return lines;
}

function quoted(subject: string): string {
  return `“${clip(subjectText(subject), SUBJECT_CHARS)}”`;
}

/** In a project where the user commits or pushes, the agent's commits and changes are no open ends. */
function habitsOf(db: Db, sessionDbId: number): { commits: boolean; pushes: boolean } {
  const projectId = projectIdOfSession(db, sessionDbId);
  const commands = projectId === undefined ? [] : projectGitCommands(db, projectId);
  const sessionsWith = (is: (command: string) => boolean): number =>
    new Set(commands.filter(({ command }) => is(command)).map((one) => one.sessionDbId)).size;
  const committing = sessionsWith(isCommit);
  return { commits: committing > 0, pushes: sessionsWith(isPush) * 3 >= Math.max(1, committing) };
}
