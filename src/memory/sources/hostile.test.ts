import { expect, it } from "vitest";
import { ran, said, turn, used } from "../../../test/evidence.ts";
import { userAnswers } from "./answers.ts";
import { turnCommits } from "./commits.ts";
import { readCompactionSummary } from "./compaction-summary.ts";
import { approvedPlans } from "./plan.ts";
import { turnReferences } from "./references.ts";
import { subagentReports } from "./subagent-reports.ts";
import { foldTasks } from "./tasks.ts";

it.each([
  "a ",
  "- a\n",
  '"a"="b", ',
  '"="',
  "git commit -m '",
  'git commit "$(cat <<E\n',
  "git commit <<E\nE\n",
  "'",
  "('a', ",
  "<analysis>",
  "## Goal\n",
  "1. **Pending Tasks**: ",
  "agentId: ",
  "<usage>",
  "https://a.b/c/d/pull/1",
  "https://a/b/",
  'gh pr create --title "a\\',
  "\n\n \n",
  "Change 1. ",
])("all readers are quick with hostile text: %j", (piece) => {
  const long = piece.repeat(100_000 / piece.length);
  const evidence = turn(
    `Implement the following plan:\n# a\n${long}`,
    ran(`git commit ${long}`, long),
    ran(`gh pr create ${long}`, long),
    used("AskUserQuestion", { questions: [{ question: long, options: [{ label: long }] }] }, { output: long }),
    used("ask_user", { question: "a", choices: [long] }, { output: `User answered: ${long}` }),
    used("ExitPlanMode", { plan: long }, { output: `## Approved Plan\n${long}` }),
    used("sql", { query: `INSERT INTO todos (id, title) VALUES ${long}` }),
    used("sql", { query: `UPDATE todos SET ${long}` }),
    used("update_todo", { todos: long }),
    used("Agent", { description: "a" }, { output: long }),
    said(long),
    said(`Summary:\n${long}`, { role: "summary" }),
  );
  const start = process.cpuUsage();
  userAnswers(evidence);
  turnCommits(evidence);
  approvedPlans(evidence);
  turnReferences(evidence);
  subagentReports(evidence);
  foldTasks(evidence.toolUses);
  for (const { text } of evidence.messages) readCompactionSummary(text);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});
