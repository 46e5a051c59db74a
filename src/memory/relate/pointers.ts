// What a prompt points at: earlier sessions, files, commits, issues, addresses. What people and agents write
// down is worth more than any guess.
import type { Target } from "../../store/tables/links.ts";

/** A prompt is only read this far for pointers; plans and pasted logs can be long. */
const MAX_CHARS = 20_000;
const MAX_OF_A_KIND = 50;

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const TRANSCRIPT = new RegExp(`(${UUID})\\.jsonl`, "g");
const SESSION = new RegExp(`(?<![\\w-])(${UUID})(?![\\w-])`, "g");
const FILE = /(?<![\w@:/.-])(?:\.{0,2}\/)?(?:[\w@.-]+\/)+[\w@.-]*\.[A-Za-z]\w{0,7}\b/g;
const COMMIT = /\b(?:commit|sha|revert|cherry-pick)s?[ :`'"(]{1,3}([0-9a-f]{7,40})\b/gi;
const URL = /\bhttps?:\/\/[^\s<>"'`)\]]{4,300}/g;
/** Where issues live: a pull request and an issue share their numbers. */
const FORGE_ISSUE = /^https?:\/\/[^/]+\/([\w.-]+\/[\w.-]+?)\/(?:-\/)?(?:issues|pull|pulls|merge_requests)\/(\d+)/;
const ISSUE = /(?:^|[\s(])(?:([\w.-]+\/[\w.-]+)|(?:issue|pr|pull request)\s?)?#(\d{1,6})\b/gi;
const NAMED_ISSUE = /\b(?:issue|pr|pull request)\s#?(\d{1,6})\b/gi;

export interface Pointers {
  /** Named by their transcripts: "for details read the full transcript at …". */
  transcripts: string[];
  /** What has the shape of a session's id. */
  sessionIds: string[];
  targets: Target[];
}

/** `repository`: "owner/name" where it is known, for issues that are named by their number alone. */
export function pointersOf(prompt: string, repository: string | undefined): Pointers {
  const text = prompt.slice(0, MAX_CHARS);
  const urls = unique(text.matchAll(URL), 0).map((url) => url.replace(/[.,;:!?]+$/, ""));
  const issues = [...issuesOf(text.replace(URL, " "), repository), ...urls.flatMap(issueOfUrl)];
  const plain = urls.filter((url) => issueOfUrl(url).length === 0);
  const of = (type: Target["type"], ids: readonly string[]): Target[] =>
    [...new Set(ids)].slice(0, MAX_OF_A_KIND).map((id) => ({ type, id }));
  return {
    transcripts: unique(text.matchAll(TRANSCRIPT), 1),
    sessionIds: unique(text.matchAll(SESSION), 1),
    targets: [
      ...of(
        "file",
        unique(text.replace(URL, " ").matchAll(FILE), 0).map((path) => path.replace(/^\.\//, "")),
      ),
      ...of("commit", unique(text.matchAll(COMMIT), 1).map(commitId)),
      ...of("issue", issues),
      ...of("url", plain),
    ],
  };
}

/** Commits are written with as many digits as somebody liked: the first seven decide. */
export function commitId(sha: string): string {
  return sha.slice(0, 7).toLowerCase();
}

/** "owner/name" of an address of a repository, as a project's key has it: "github.com/owner/name". */
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

function issuesOf(text: string, repository: string | undefined): string[] {
  const ids: string[] = [];
  for (const [, owner, number] of text.matchAll(ISSUE)) ids.push(issueId(owner ?? repository, number));
  for (const [, number] of text.matchAll(NAMED_ISSUE)) ids.push(issueId(repository, number));
  return ids;
}

export function issueOfUrl(url: string): string[] {
  const [, repository, number] = FORGE_ISSUE.exec(url) ?? [];
  return number === undefined ? [] : [issueId(repository, number)];
}

function issueId(repository: string | undefined, number = ""): string {
  return `${repository?.toLowerCase() ?? ""}#${number}`;
}

function unique(matches: Iterable<RegExpExecArray>, group: number): string[] {
  const found = new Set<string>();
  for (const match of matches) {
    found.add(match[group] ?? "");
    if (found.size >= MAX_OF_A_KIND) break;
  }
  return [...found];
}
