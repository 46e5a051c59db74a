// Today's working tree as recall looks at it: branch, what moved HEAD lately, the files of rules. No git process.
import { dirname, join } from "node:path";
import { readTail, statOf } from "../config/read.ts";
import { filterText } from "../core/filter.ts";
import type { RefMove, WorkTree } from "../core/work-tree.ts";
import { branchOf, type Place } from "./project.ts";

const LOG_BYTES = 32 * 1024;
/** Where rules for agents stand, from the top of the tree. */
const RULES = ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", join(".claude", "CLAUDE.md")];

/** `transcriptPath`: the client keeps a memory of its own beside it. */
export function describeTree(place: Place, transcriptPath: string | undefined): WorkTree {
  const top = place.tree?.top ?? place.folder;
  const own = transcriptPath === undefined ? [] : [join(dirname(transcriptPath), "memory", "MEMORY.md")];
  return {
    top,
    branch: branchOf(place),
    moves:
      place.tree === undefined ? [] : parseRefLog(readTail(join(place.tree.gitDir, "logs", "HEAD"), LOG_BYTES) ?? ""),
    rules: [...RULES.map((name) => join(top, name)), ...own].filter((path) => statOf(path)?.isFile()),
  };
}

/** "<old> <new> Name <mail> <seconds> <zone>\t<note>" */
export function parseRefLog(text: string): RefMove[] {
  return text.split("\n").flatMap((line) => {
    const [, seconds, note] = /^\S+ \S+ .*> (\d{1,12}) [+-]\d{4}\t(.+)$/.exec(line) ?? [];
    return seconds === undefined || note === undefined
      ? []
      : [{ at: Number(seconds) * 1000, note: filterText(note, 200) }];
  });
}
