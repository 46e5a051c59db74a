// Commit subjects as text: "fix(api)!: retry twice" -> "Retry twice".
import { capitalise } from "./sentences.ts";

const CONVENTIONAL = /^(feat|fix|refactor|perf|docs|chore|ci|build|test|style|revert)(?:\([^)]{0,60}\))?!?:\s*/i;
const BOOKKEEPING = /^(?:merge|wip|update changelog|bump|checkpoint|sync)\b/i;
const MIN_WORDS = 3;
/** Commits of these types seldom name what a turn or session came to. */
const MINOR: ReadonlySet<string> = new Set(["docs", "chore", "style", "test", "ci", "build"]);

export function subjectText(subject: string): string {
  return capitalise(subject.replace(CONVENTIONAL, "").trim());
}

/** The type of a conventional commit in lower case, or "". */
export function subjectPrefix(subject: string): string {
  return CONVENTIONAL.exec(subject)?.[1]?.toLowerCase() ?? "";
}

export function isMinor(prefix: string): boolean {
  return MINOR.has(prefix);
}

/** 2: work; 1: documents, tests, settings; 0: bookkeeping such as a merge. */
export function subjectWeight(subject: string): 0 | 1 | 2 {
  const text = subjectText(subject);
  if (BOOKKEEPING.test(text) || text.split(/\s+/).length < MIN_WORDS) return 0;
  return isMinor(subjectPrefix(subject)) ? 1 : 2;
}
