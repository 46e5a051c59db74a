// Finds the git commits a shell command made, in what git printed: "[main 1a2b3c4] Subject".

export interface MadeCommit {
  sha: string;
  branch: string;
  subject: string;
}

/** Commands without "commit" in them (and their megabytes of output) are not looked at. */
export function commitsMade(command: string, output: string): MadeCommit[] {
  if (!/\bcommit\b|\bcherry-pick\b|\brevert\b|\bmerge\b/.test(command)) return [];
  const made: MadeCommit[] = [];
  for (const match of output.matchAll(/^\[([^\]\s]{1,200})(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,300})$/gm)) {
    const [, branch = "", sha = "", subject = ""] = match;
    made.push({ sha, branch, subject });
  }
  return made;
}
