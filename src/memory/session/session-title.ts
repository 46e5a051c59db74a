// Chooses a session's title and subtitle from what was written in it: plans, pull requests, commits, results, requests.
import type { ObservationType } from "../../core/memory.ts";
import { stripMarkdown } from "../../core/prose.ts";
import { SAME_TEXT, wordOverlap } from "../../core/similarity.ts";
import { contentWords } from "../../core/words.ts";
import { subjectText, subjectWeight } from "../extract/commit-subject.ts";

export interface TitleSources {
  /** The agent's own title, or null. */
  agentTitle: string | null;
  requests: readonly { kind: "plan" | "question" | "task" | "reply"; title: string }[];
  /** Titles of pull requests that the session opened. */
  prs: readonly string[];
  /** Subjects of commits. */
  commits: readonly string[];
  observations: readonly { type: ObservationType; title: string }[];
}

interface Candidate {
  text: string;
  /** How often such a text is what a colleague would file the session under. */
  weight: number;
  words: ReadonlySet<string>;
}

/** Measured on titles that readers of sessions wrote. */
const WEIGHTS = { plan: 1.05, pr: 1, commit: [0.45, 0.7, 1], work: 0.75, discovery: 0.5, task: 0.5, question: 0.35 };

const MAX_CHARS = 80;
const SHORT_CHARS = 25;
const SUBTITLE_CHARS = 140;

export function chooseTitle(sources: TitleSources): { title: string; subtitle: string } | undefined {
  const candidates = candidatesOf(sources);
  const ranked = candidates
    .map((candidate) => ({ candidate, score: scoreOf(candidate, candidates) }))
    .sort((a, b) => b.score - a.score)
    .map(({ candidate }) => candidate);
  const own = sources.agentTitle === null || isPlaceholder(sources.agentTitle) ? undefined : sources.agentTitle;
  const title = own ?? ranked[0]?.text;
  if (title === undefined) return undefined;
  const isNew = ({ text, weight }: Candidate): boolean =>
    weight >= WEIGHTS.work && text.length <= SUBTITLE_CHARS && wordOverlap(text, title) < SAME_TEXT;
  return { title, subtitle: ranked.find(isNew)?.text ?? "" };
}

/** Names that agents give before they know the work: "New session", "Untitled", "binary-toasting-snowflake". */
function isPlaceholder(title: string): boolean {
  const text = title.trim();
  return text.length < 4 || !/\s/.test(text) || /^(?:new|untitled|default)\b.{0,20}$/i.test(text);
}

/** "Changed store.ts and 2 more" */
const FILE_LIST = /^(?:Changed|Created|Deleted|Updated) \S+(?:$|,? (?:and )?\d+ more|: )/;

function candidatesOf({ requests, prs, commits, observations }: TitleSources): Candidate[] {
  const given: [string, number][] = [
    ...requests.flatMap(({ kind, title }): [string, number][] =>
      kind === "reply" || (kind !== "plan" && title.endsWith("…")) ? [] : [[title, WEIGHTS[kind]]],
    ),
    ...prs.map((title): [string, number] => [subjectText(title), WEIGHTS.pr]),
    ...commits.map((subject): [string, number] => [subjectText(subject), WEIGHTS.commit[subjectWeight(subject)] ?? 0]),
    ...observations.flatMap(({ type, title }): [string, number][] =>
      type === "decision" || FILE_LIST.test(title)
        ? []
        : [[title, type === "discovery" ? WEIGHTS.discovery : WEIGHTS.work]],
    ),
  ];
  return given.flatMap(([raw, weight]) => {
    const text = titleText(raw);
    return text === "" || isPointing(text) ? [] : [{ text, weight, words: contentWords(text) }];
  });
}

/** A title whose words other texts of the session share is about the whole session, not about a detail. */
function scoreOf(candidate: Candidate, all: readonly Candidate[]): number {
  const others = all.filter((other) => other !== candidate);
  const shared = others.reduce((sum, other) => sum + likeness(candidate.words, other.words), 0);
  const central = others.length === 0 ? 0 : shared / others.length;
  const { text } = candidate;
  const isShort = text.length < SHORT_CHARS;
  const length = isShort ? (text.split(" ").length < 3 ? 0.4 : 0.8) : text.length > MAX_CHARS ? 0.6 : 1;
  return candidate.weight * (0.3 + central) * length;
}

/** The cosine of two sets of words. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  return [...a].filter((word) => b.has(word)).length / Math.sqrt(a.size * b.size);
}

/** Without markup; a longer text without brackets, or up to the end of a clause. */
function titleText(raw: string): string {
  const text = stripMarkdown(raw)
    .replaceAll("`", "")
    .replace(/^(?:Opened PR #\d+|Description|Summary|Title|Goal|Task|Note): /, "")
    .replace(/[.:;,\s]+$/, "");
  if (text.length <= MAX_CHARS) return text;
  const plain = text.replace(/\s*\([^()]*\)/g, "");
  if (plain.length <= MAX_CHARS) return plain;
  return (
    /^(.{30,80}?)(?:\s[—–-]\s|[;:]\s|,\s(?:so|which|and|because|since|with|instead)\b|\s(?:because|so that|which)\s)/.exec(
      plain,
    )?.[1] ?? plain
  );
}

/** "It now works", "I see the problem", "/home/me/a.ts was deleted": no title of a session's work. */
function isPointing(text: string): boolean {
  return /^(?:it|its|this|that|these|those|they|also|now|here|there|and|but|so|then|both|all|i|i['’]\w+|we|you|was|were|is|are)\b|^(?:[/~]\S|\.\w+[/.]|[\w-]+: \/)/i.test(
    text,
  );
}
