// Today's working tree as recall looks at it: branch and the files of rules. No git process.
import { dirname, join } from "node:path";
import { statOf } from "../platform/read-file.ts";
import type { RefMove, WorkTree } from "../core/work-tree.ts";
import { branchOf, type Place } from "./project.ts";

/** Where rules for agents stand, from the top of the tree. */
const RULES = ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", join(".claude", "CLAUDE.md")];

/** `transcriptPath`: the client keeps a memory of its own beside it. `moves`: see capture/ref-log.ts. */
export function describeTree(place: Place, transcriptPath: string | undefined, moves: RefMove[] = []): WorkTree {
  const top = place.tree?.top ?? place.folder;
  const own = transcriptPath === undefined ? [] : [join(dirname(transcriptPath), "memory", "MEMORY.md")];
  return {
    top,
    branch: branchOf(place),
    moves,
    rules: [...RULES.map((name) => join(top, name)), ...own].filter((path) => statOf(path)?.isFile()),
  };
}
