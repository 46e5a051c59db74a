// What left the desk in a turn: commits, pull requests, releases, deployments, migrations.
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { capitalise } from "./ask.ts";
import { type Run, shownCommand } from "./commands.ts";
import { clip, readBlocks, sentencesOf, wholeSentences } from "../../core/prose.ts";

export interface Landing {
  title: string;
  /** Of a conventional commit: "feat", "fix", … */
  prefix: string;
  /** Why, where the message says so. */
  body: string;
  fact: string;
  /** Item id of the tool use. */
  id: string;
  /** Bookkeeping is a fact of other work, never a note of its own. */
  isWorthNoting: boolean;
}

const BODY_CHARS = 260;
const MAX_COMMAND_CHARS = 20_000;
const CONVENTIONAL = /^(feat|fix|refactor|perf|docs|chore|ci|build|test|style|revert)(?:\([^)]{0,60}\))?!?:\s*/i;
const BOOKKEEPING = /^(?:docs|chore|style|test)$|^(?:merge|wip|update changelog|bump|checkpoint|sync)\b/i;

export function landingsOf(evidence: TurnEvidence, runs: readonly Run[]): Landing[] {
  const commits = evidence.commits.map((commit) => commitLanding(commit, evidence, runs));
  const others = runs.filter((run) => !run.use.isError).flatMap((run) => otherLanding(run));
  return [...commits.filter((one) => one !== undefined), ...others];
}

function commitLanding(
  commit: TurnEvidence["commits"][number],
  evidence: TurnEvidence,
  runs: readonly Run[],
): Landing | undefined {
  const run = runs.find(({ use }) => use.output.includes(commit.sha) && use.output.includes(commit.subject));
  if (run === undefined) return undefined;
  const prefix = prefixOf(commit.subject);
  const subject = capitalise(commit.subject.replace(CONVENTIONAL, "").trim());
  // Some tools commit under the words of the prompt.
  const isPrompt = evidence.prompt.text.trim().toLowerCase().startsWith(commit.subject.toLowerCase().slice(0, 40));
  return {
    title: subject,
    prefix,
    body: commitBody(run.command.slice(0, MAX_COMMAND_CHARS)),
    fact: `Commit ${commit.sha.slice(0, 7)}: ${clip(commit.subject, 120)}`,
    id: run.use.id,
    isWorthNoting:
      !isPrompt && !BOOKKEEPING.test(prefix) && !BOOKKEEPING.test(subject) && subject.split(/\s+/).length > 2,
  };
}

function prefixOf(subject: string): string {
  return CONVENTIONAL.exec(subject)?.[1]?.toLowerCase() ?? "";
}

/** The first sentences under the subject of a message given as a here-document or as a second -m. */
function commitBody(command: string): string {
  const message =
    /<<-?\s*['"]?(\w+)['"]?\n([\s\S]*?)\n\s*\1/.exec(command)?.[2] ?? /-m\s+"([^"]{1,4000})"/.exec(command)?.[1] ?? "";
  const body = message
    .split("\n")
    .slice(1)
    .join("\n")
    .replace(/^(?:Co-Authored-By|Signed-off-by|🤖|Generated with|[A-Z][\w-]+-\w+:).*$/gim, "");
  const first = readBlocks(body).find(({ kind }) => kind === "text");
  return first === undefined ? "" : wholeSentences(sentencesOf(first.text).slice(0, 2), BODY_CHARS);
}

const PR = /https:\/\/\S+\/(?:pull|merge_requests|pulls)\/(\d+)/;

function otherLanding(run: Run): Landing[] {
  const { command, use } = run;
  const landing = (title: string, fact: string): Landing[] => [
    {
      title,
      prefix: prefixOf(title.replace(/^Opened PR #\d+: /, "")),
      body: "",
      fact,
      id: use.id,
      isWorthNoting: true,
    },
  ];
  if (/\bgh pr create\b/.test(command)) {
    const [url, number] = PR.exec(use.output) ?? [];
    const name = /--title[= ]+(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/.exec(command);
    const title = (name?.[1] ?? name?.[2] ?? "").replace(/\\(.)/g, "$1");
    return url === undefined
      ? []
      : landing(`Opened PR #${number}${title === "" ? "" : `: ${title}`}`, `PR #${number}: ${url}`);
  }
  const merged = /\bgh pr merge\s+(?:\S*\/)?(\d+)/.exec(command)?.[1];
  if (merged !== undefined) return landing(`Merged PR #${merged}`, `Merged PR #${merged}`);
  if (
    /^\s*(?:cd [^&;]+(?:&&|;)\s*)?(?:npm|pnpm|yarn|bun|cargo|uv|poetry) publish\b|\bgh release create\b/.test(command)
  ) {
    return landing(`Published with ${clip(run.key, 60)}`, `Ran ${shownCommand(command)}`);
  }
  if (run.purpose === "migrate" || run.purpose === "deploy") {
    return [
      {
        title: `Ran ${clip(run.key.replaceAll("`", "'"), 80)}`,
        prefix: "",
        body: "",
        fact: `Ran ${shownCommand(command)}`,
        id: use.id,
        isWorthNoting: false,
      },
    ];
  }
  return [];
}

export function landingFacts(landings: readonly Landing[]): string[] {
  return landings.map(({ fact }) => fact);
}
