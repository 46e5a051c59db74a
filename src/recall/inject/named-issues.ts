// Finds the issues and pull requests that a text names.

export interface NamedIssue {
  number: number;
  /** The name of its repository, in lower case. Undefined if the text gives none. */
  repository: string | undefined;
}

/** Numbers below this need the word "issue" or "PR": "#4" may be the fourth item of a list. */
const MIN_BARE_NUMBER = 10;
const MAX_ISSUES = 20;
const ISSUE_URL = /(?<![\w.-])([\w.-]{1,100})\/(?:-\/)?(?:issues|pulls?|merge_requests)\/(\d{1,6})\b/g;
const QUALIFIED = /(?<![\w.-])([\w.-]{1,100})#(\d{1,6})\b/g;
const NAMED = /\b(?:issues?|prs?|pull requests?|mrs?|tickets?)\s*#?(\d{1,6})\b/gi;
const BARE = /(?:^|[\s(`])#(\d{2,6})\b/g;

/** "owner/app#12", "https://github.com/owner/app/pull/12" and "PR 12" */
export function issuesOf(text: string): NamedIssue[] {
  const qualified = [...text.matchAll(ISSUE_URL), ...text.matchAll(QUALIFIED)].map(
    ([, repository = "", number]): NamedIssue => ({ number: Number(number), repository: repository.toLowerCase() }),
  );
  const bare = [
    ...[...text.matchAll(NAMED)].map(([, number]) => Number(number)),
    ...[...text.matchAll(BARE)].map(([, number]) => Number(number)).filter((number) => number >= MIN_BARE_NUMBER),
  ].map((number): NamedIssue => ({ number, repository: undefined }));
  return [...qualified, ...bare].slice(0, MAX_ISSUES);
}

/** Without a repository an issue may be of any. */
export function isSameIssue(a: NamedIssue, b: NamedIssue): boolean {
  if (a.number !== b.number) return false;
  return a.repository === undefined || b.repository === undefined || a.repository === b.repository;
}
