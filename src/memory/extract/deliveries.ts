// The commits, pull requests, releases, deployments and migrations of a turn.
import { clip, readBlocks, sentencesOf, wholeSentences } from "../../core/prose.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { type Run, shownCommand } from "./commands.ts";
import { capitalise } from "./sentences.ts";

export interface Delivery {
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
const MAX_COMMAND_CHARS = 20_000;
const CONVENTIONAL = /^(feat|fix|refactor|perf|docs|chore|ci|build|test|style|revert)(?:\([^)]{0,60}\))?!?:\s*/i;
const BOOKKEEPING = /^(?:docs|chore|style|test)$|^(?:merge|wip|update changelog|bump|checkpoint|sync)\b/i;

export function findDeliveries(evidence: TurnEvidence, runs: readonly Run[]): Delivery[] {
  const commits = evidence.commits.flatMap((commit) => commitDelivery(commit, evidence.prompt.text, runs));
  return [...commits, ...runs.filter((run) => !run.use.isError).flatMap(commandDelivery)];
}

function commitDelivery(
  { sha, subject }: TurnEvidence["commits"][number],
  prompt: string,
  runs: readonly Run[],
): Delivery[] {
  const run = runs.find(({ use }) => use.output.includes(sha) && use.output.includes(subject));
  if (run === undefined) return [];
  const prefix = prefixOf(subject);
  const title = capitalise(subject.replace(CONVENTIONAL, "").trim());
  // Some tools commit with the prompt as the message.
  const isPrompt = prompt.trim().toLowerCase().startsWith(subject.toLowerCase().slice(0, 40));
  const isBookkeeping = BOOKKEEPING.test(prefix) || BOOKKEEPING.test(title);
  return [
    {
      title,
      prefix,
      body: commitBody(run.command.slice(0, MAX_COMMAND_CHARS)),
      fact: `Commit ${sha.slice(0, 7)}: ${clip(subject, 120)}`,
      id: run.use.id,
      isWorthNoting: !isPrompt && !isBookkeeping && title.split(/\s+/).length > 2,
    },
  ];
}

function prefixOf(subject: string): string {
  return CONVENTIONAL.exec(subject)?.[1]?.toLowerCase() ?? "";
}

/** The first two sentences below the subject, from a here-document or the text of -m. */
function commitBody(command: string): string {
  const message =
    /<<-?\s*['"]?(\w+)['"]?\n([\s\S]*?)\n\s*\1/.exec(command)?.[2] ?? /-m\s+"([^"]{1,4000})"/.exec(command)?.[1] ?? "";
  const body = message.split("\n").slice(1).join("\n");
  const text = body.replace(/^(?:Co-Authored-By|Signed-off-by|🤖|Generated with|[A-Z][\w-]+-\w+:).*$/gim, "");
  const first = readBlocks(text).find(({ kind }) => kind === "text");
  return first === undefined ? "" : wholeSentences(sentencesOf(first.text).slice(0, 2), BODY_CHARS);
}

const PR_URL = /https:\/\/\S+\/(?:pull|merge_requests|pulls)\/(\d+)/;
const PUBLISH = /^\s*(?:cd [^&;]+(?:&&|;)\s*)?(?:npm|pnpm|yarn|bun|cargo|uv|poetry) publish\b|\bgh release create\b/;

function commandDelivery({ command, use, key, purpose }: Run): Delivery[] {
  const delivery = (title: string, fact: string, more: Partial<Delivery> = {}): Delivery[] => [
    { title, prefix: "", body: "", fact, id: use.id, isWorthNoting: true, ...more },
  ];
  if (/\bgh pr create\b/.test(command)) {
    const [url, number] = PR_URL.exec(use.output) ?? [];
    const quoted = /--title[= ]+(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/.exec(command);
    const title = (quoted?.[1] ?? quoted?.[2] ?? "").replace(/\\(.)/g, "$1");
    const opened = `Opened PR #${number}${title === "" ? "" : `: ${title}`}`;
    return url === undefined ? [] : delivery(opened, `PR #${number}: ${url}`, { prefix: prefixOf(title) });
  }
  const merged = /\bgh pr merge\s+(?:\S*\/)?(\d+)/.exec(command)?.[1];
  if (merged !== undefined) return delivery(`Merged PR #${merged}`, `Merged PR #${merged}`);
  const ran = `Ran ${shownCommand(command)}`;
  if (PUBLISH.test(command)) return delivery(`Published with ${clip(key, 60)}`, ran);
  const isOther = purpose === "migrate" || purpose === "deploy";
  return isOther ? delivery(`Ran ${clip(key.replaceAll("`", "'"), 80)}`, ran, { isWorthNoting: false }) : [];
}
