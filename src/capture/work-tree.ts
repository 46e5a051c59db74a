// The current working tree: its branch, what moved HEAD lately and its rules files. Read from files, without starting git.
import { dirname, join } from "node:path";
import { filterText } from "../core/privacy/filter.ts";
import type { RefMove, WorkTree } from "../core/work-tree.ts";
import { readTail, statOf } from "../platform/read-file.ts";
import { branchOf, type Place } from "./project.ts";

const RULES = ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", join(".claude", "CLAUDE.md")];

/** `transcriptPath`: Claude Code keeps its own memory file beside the transcripts. */
export function describeTree(place: Place, transcriptPath: string | undefined, moves: RefMove[] = []): WorkTree {
  const top = place.tree?.top ?? place.folder;
  const memory = transcriptPath === undefined ? [] : [join(dirname(transcriptPath), "memory", "MEMORY.md")];
  const rules = [...RULES.map((name) => join(top, name)), ...memory].filter((path) => statOf(path)?.isFile());
  return { top, branch: branchOf(place), moves, rules };
}

const LOG_BYTES = 32 * 1024;
const NOTE_CHARS = 200;

export function readRefLog({ tree }: Place): RefMove[] {
  return tree === undefined ? [] : parseRefLog(readTail(join(tree.gitDir, "logs", "HEAD"), LOG_BYTES) ?? "");
}

/** "<old> <new> Name <mail> <seconds> <zone>\t<note>" */
export function parseRefLog(text: string): RefMove[] {
  return text.split("\n").flatMap((line) => {
    const [, seconds, note] = /^\S+ \S+ .*> (\d{1,12}) [+-]\d{4}\t(.+)$/.exec(line) ?? [];
    if (seconds === undefined || note === undefined) return [];
    return [{ at: Number(seconds) * 1000, note: filterText(note, NOTE_CHARS) }];
  });
}
