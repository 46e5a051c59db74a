// Commit subjects as text: "fix(api)!: retry twice" -> "Retry twice".
import { capitalise } from "../extract/sentences.ts";

const CONVENTIONAL = /^(?:feat|fix|refactor|perf|docs|chore|ci|build|test|style|revert)(?:\([^)]{0,60}\))?!?:\s*/i;
const BOOKKEEPING = /^(?:merge|wip|update changelog|bump|checkpoint|sync)\b/i;
const MINOR = /^(?:docs|chore|style|test|ci|build)\b/i;

export function subjectText(subject: string): string {
  return capitalise(subject.replace(CONVENTIONAL, "").trim());
}

/** 2: work; 1: documents, tests, settings; 0: bookkeeping such as a merge. */
export function subjectWeight(subject: string): 0 | 1 | 2 {
  const text = subjectText(subject);
  if (BOOKKEEPING.test(text) || text.split(/\s+/).length < 3) return 0;
  return CONVENTIONAL.test(subject) && MINOR.test(subject) ? 1 : 2;
}
