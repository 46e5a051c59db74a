// What is known of a commit: from git, or, for a benchmark, from a list of commits.

export interface CommitFacts {
  /** The full hash. */
  sha: string;
  author: string;
  authoredAt: number;
  committedAt: number;
  subject: string;
  /** The message below the subject, with its trailers. */
  body: string;
  files: CommitFile[];
  /** Its parents are missing in a shallow clone: git takes all lines of all files for new. */
  isCut?: boolean;
  /**
   * Commits with the same subject that were made in sessions at the author's time, by the hash that git printed: whether
   * this commit replaces them. One that git does not have any more is missing.
   */
  replaces?: ReadonlyMap<string, boolean>;
}

export interface CommitFile {
  /** Relative to the root of the working tree, as in file_touches. */
  path: string;
  /** Before the commit, if it renamed the file. */
  from?: string;
  /** The lines that the commit added. Missing if they were not read: a binary file, or too much. */
  added?: readonly string[];
  /** The lines that the file had before the commit, if they were read. */
  before?: readonly string[];
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;

/** "Claude-Session: 0b7e2a54-…", not "Note: see 0b7e2a54-… for the reasons" */
const SESSION_TRAILER = /^[\w-]*(?:session|thread|conversation|chat|trace)[\w-]*:\s+(\S.*)$/i;

/**
 * Session ids that trailers name: "Claude-Session: 0b7e2a54-…", "Entire-Session: 2026-01-31-0b7e2a54-…". As for git,
 * only the last paragraph has trailers.
 */
export function namedSessions({ body }: CommitFacts): string[] {
  const last =
    body
      .trim()
      .split(/\n\s*\n/)
      .at(-1) ?? "";
  const values = last.split("\n").flatMap((line) => SESSION_TRAILER.exec(line.trim())?.[1]?.split(/[\s,]+/) ?? []);
  return [...new Set(values.flatMap((value) => value.match(UUID) ?? []).map((id) => id.toLowerCase()))];
}

/** The ids of checkpoints in trailers of Entire: "Entire-Checkpoint: 1f4427577930". */
export function namedCheckpoints({ body }: CommitFacts): string[] {
  return [...new Set([...body.matchAll(/^Entire-Checkpoint:\s*([0-9a-f]{12})\s*$/gim)].map(([, id = ""]) => id))];
}

/** "Fix the login (#12)" -> 12, "Merge pull request #12 from me/login" -> 12 */
export function pullRequestOf(subject: string): number | undefined {
  const [, squashed, merged] = /\(#(\d{1,7})\)\s*$|^Merge pull request #(\d{1,7}) /.exec(subject) ?? [];
  const number = squashed ?? merged;
  return number === undefined ? undefined : Number(number);
}

/** Release bots and others that write commits of their own. */
export function isBot({ author }: CommitFacts): boolean {
  return /\[bot\]|\bbot$/i.test(author);
}
