// A working tree as it is today, as far as memory is checked against it.

export interface WorkTree {
  /** Paths in memory are relative to it. */
  top: string;
  branch?: string | undefined;
  /** What moved HEAD lately, oldest first. */
  moves: RefMove[];
  /** Files of rules the agent reads anyway: CLAUDE.md and the like. */
  rules: string[];
}

export interface RefMove {
  at: number;
  /** What git noted: "commit: Fix the login", "checkout: moving from a to b". */
  note: string;
}
