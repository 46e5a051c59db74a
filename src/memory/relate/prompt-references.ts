// Extracts references from a prompt: earlier sessions, files, commits, issues, URLs.
import type { Target } from "../../store/tables/links.ts";

/** Plans and pasted logs can be long. */
const MAX_CHARS = 20_000;
const MAX_PER_KIND = 50;

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const TRANSCRIPT = new RegExp(`(${UUID})\\.jsonl`, "g");
const SESSION = new RegExp(`(?<![\\w-])(${UUID})(?![\\w-])`, "g");
const FILE = /(?<![\w@:/.-])(?:\.{0,2}\/)?(?:[\w@.-]+\/)+[\w@.-]*\.[A-Za-z]\w{0,7}\b/g;
const COMMIT = /\b(?:commit|sha|revert|cherry-pick)s?[ :`'"(]{1,3}([0-9a-f]{7,40})\b/gi;
const URL = /\bhttps?:\/\/[^\s<>"'`)\]]{4,300}/g;
/** Issues and pull requests share their numbers. */
const FORGE_ISSUE = /^https?:\/\/[^/]+\/([\w.-]+\/[\w.-]+?)\/(?:-\/)?(?:issues|pull|pulls|merge_requests)\/(\d+)/;
const ISSUE = /(?:^|[\s(])(?:([\w.-]+\/[\w.-]+)|(?:issue|pr|pull request)\s?)?#(\d{1,6})\b/gi;
const NAMED_ISSUE = /\b(?:issue|pr|pull request)\s#?(\d{1,6})\b/gi;

/** `repository`: "owner/name", added to issues without one ("#12"). */
export function promptReferences(prompt: string, repository: string | undefined) {
  const text = prompt.slice(0, MAX_CHARS);
  const withoutUrls = text.replace(URL, " ");
  const files = allMatches(withoutUrls, FILE, 0).map((path) => path.replace(/^\.\//, ""));
  const urls = allMatches(text, URL, 0).map((url) => url.replace(/[.,;:!?]+$/, ""));
  const otherUrls = urls.filter((url) => issueOfUrl(url).length === 0);
  const issues = [
    ...[...withoutUrls.matchAll(ISSUE)].map(([, owner, number]) => issueId(owner ?? repository, number)),
    ...[...withoutUrls.matchAll(NAMED_ISSUE)].map(([, number]) => issueId(repository, number)),
    ...urls.flatMap(issueOfUrl),
  ];
  const targets = (type: Target["type"], ids: readonly string[]): Target[] =>
    [...new Set(ids)].slice(0, MAX_PER_KIND).map((id) => ({ type, id }));
  return {
    /** Session ids of transcripts: "for details read the full transcript at …". */
    transcripts: allMatches(text, TRANSCRIPT, 1),
    /** All UUIDs: each may be a session id. */
    sessionIds: allMatches(text, SESSION, 1),
    targets: [
      ...targets("file", files),
      ...targets("commit", allMatches(text, COMMIT, 1).map(commitId)),
      ...targets("issue", issues),
      ...targets("url", otherUrls),
    ],
  };
}

/** Prompts shorten commit ids to different lengths: compare the first seven digits. */
export function commitId(sha: string): string {
  return sha.slice(0, 7).toLowerCase();
}

/** "git@github.com:owner/name.git" -> "owner/name" */
export function repositoryOf(remote: string | null): string | undefined {
  const [owner, name] = (remote ?? "")
    .replace(/\/$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .slice(-2);
  const isName = (part: string | undefined): boolean => part !== undefined && /^[\w.-]+$/.test(part);
  const last = owner?.split(":").at(-1);
  return isName(last) && isName(name) ? `${last}/${name}`.toLowerCase() : undefined;
}

export function issueOfUrl(url: string): string[] {
  const [, repository, number] = FORGE_ISSUE.exec(url) ?? [];
  return number === undefined ? [] : [issueId(repository, number)];
}

function issueId(repository: string | undefined, number = ""): string {
  return `${repository?.toLowerCase() ?? ""}#${number}`;
}

function allMatches(text: string, pattern: RegExp, group: number): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[group] ?? ""))].slice(0, MAX_PER_KIND);
}
