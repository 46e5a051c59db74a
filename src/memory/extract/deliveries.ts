// The commits, pull requests, issues, releases, deployments and migrations of a turn.
import { clip, readBlocks, sentencesOf, wholeSentences } from "../../core/prose.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { type TurnCommit, turnCommits } from "../sources/commits.ts";
import { type ForgeReference, turnReferences } from "../sources/references.ts";
import { type Run, shownCommand } from "./commands.ts";
import { subjectPrefix, subjectText, subjectWeight } from "./commit-subject.ts";

export interface Delivery {
  kind: "commit" | "reference" | "command";
  title: string;
  /** The prefix of a conventional commit ("feat", "fix", …), or "". */
  prefix: string;
  /** The first sentences of the commit message's body, or "". */
  body: string;
  fact: string;
  /** Item id of the tool use. */
  id: string;
  /** False for what is only a fact of other work: a deployment, or a commit such as "docs: update changelog". */
  isWorthNoting: boolean;
}

const BODY_CHARS = 260;

export function findDeliveries(evidence: TurnEvidence, runs: readonly Run[]): Delivery[] {
  return [
    ...turnCommits(evidence)
      .filter(({ id }) => id !== "")
      .map((commit) => commitDelivery(commit, evidence.prompt.text)),
    ...turnReferences(evidence).flatMap(referenceDelivery),
    ...runs.filter((run) => !run.use.isError).flatMap(commandDelivery),
  ];
}

function commitDelivery({ sha, subject, body, id, keepsMessage }: TurnCommit, prompt: string): Delivery {
  // Some tools commit with the prompt as the message.
  const isPrompt = prompt.trim().toLowerCase().startsWith(subject.toLowerCase().slice(0, 40));
  return {
    kind: "commit",
    title: subjectText(subject),
    prefix: subjectPrefix(subject),
    body: firstSentences(body),
    fact: `Commit${sha === "" ? "" : ` ${sha.slice(0, 7)}`}: ${clip(subject, 120)}`,
    id,
    isWorthNoting: !isPrompt && !keepsMessage && subjectWeight(subject) > 0,
  };
}

function firstSentences(body: string): string {
  const first = readBlocks(body).find(({ kind }) => kind === "text");
  return first === undefined ? "" : wholeSentences(sentencesOf(first.text).slice(0, 2), BODY_CHARS);
}

const VERBS: Partial<Record<ForgeReference["action"], string>> = {
  created: "Opened",
  merged: "Merged",
  closed: "Closed",
  reopened: "Reopened",
};

function referenceDelivery({ kind, number, title, action, id }: ForgeReference): Delivery[] {
  const verb = VERBS[action];
  if (verb === undefined) return [];
  const name = `${kind === "pr" ? "PR" : "issue"} #${number}`;
  const text = `${verb} ${name}${title === "" ? "" : `: ${title}`}`;
  return [
    { kind: "reference", title: text, prefix: subjectPrefix(title), body: "", fact: text, id, isWorthNoting: true },
  ];
}

const PUBLISH = /^\s*(?:cd [^&;]+(?:&&|;)\s*)?(?:npm|pnpm|yarn|bun|cargo|uv|poetry) publish\b|\bgh release create\b/;

function commandDelivery({ command, use: { id }, key, purpose }: Run): Delivery[] {
  const shared = { kind: "command", prefix: "", body: "", fact: `Ran ${shownCommand(command)}`, id } as const;
  if (PUBLISH.test(command)) return [{ ...shared, title: `Published with ${clip(key, 60)}`, isWorthNoting: true }];
  const isOther = purpose === "migrate" || purpose === "deploy";
  return isOther ? [{ ...shared, title: `Ran ${clip(key.replaceAll("`", "'"), 80)}`, isWorthNoting: false }] : [];
}
