// Describes the current working tree: its branch and rules files. Reads git's files without starting git.
import { dirname, join } from "node:path";
import type { RefMove, WorkTree } from "../core/work-tree.ts";
import { statOf } from "../platform/read-file.ts";
import { branchOf, type Place } from "./project.ts";

const RULES = ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", join(".claude", "CLAUDE.md")];

/** `transcriptPath` locates Claude Code's own memory file: memory/MEMORY.md beside the transcript. */
export function describeTree(place: Place, transcriptPath: string | undefined, moves: RefMove[] = []): WorkTree {
  const top = place.tree?.top ?? place.folder;
  const memory = transcriptPath === undefined ? [] : [join(dirname(transcriptPath), "memory", "MEMORY.md")];
  const rules = [...RULES.map((name) => join(top, name)), ...memory].filter((path) => statOf(path)?.isFile());
  return { top, branch: branchOf(place), moves, rules };
}
