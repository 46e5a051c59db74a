// The state of a working tree, by which C-Mem checks whether memory is still valid.

export interface WorkTree {
  /** The root folder. Paths in memory are relative to it. */
  top: string;
  branch?: string | undefined;
  /** Recent entries of HEAD's reflog, oldest first. */
  moves: RefMove[];
  /** Rule files that the agent reads itself, such as CLAUDE.md. */
  rules: string[];
}

export interface RefMove {
  at: number;
  /** "commit: Fix the login", "checkout: moving from a to b". */
  note: string;
}

const TRUNKS = new Set(["main", "master", "develop", "dev", "trunk", "HEAD", ""]);

/** True for shared branches, which say little about a session. */
export function isTrunk(branch: string): boolean {
  return TRUNKS.has(branch);
}
