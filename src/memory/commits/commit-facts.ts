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
}

export interface CommitFile {
  /** Relative to the root of the working tree, as in file_touches. */
  path: string;
  /** The lines that the commit added. Missing if they were not read: a binary file, or too much. */
  added?: readonly string[];
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;

/** Session ids that trailers name: "Claude-Session: 0b7e2a54-…", "Entire-Session: 2026-01-31-0b7e2a54-…". */
export function namedSessions({ body }: CommitFacts): string[] {
  const trailers = body.split("\n").filter((line) => /^[A-Za-z][\w-]*:\s/.test(line));
  return [...new Set(trailers.flatMap((line) => line.match(UUID) ?? []).map((id) => id.toLowerCase()))];
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
