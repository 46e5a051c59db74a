// The files that C-Mem adds to a working tree for Cursor: the rules file, and a line that makes git ignore it.
import { realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ownFile } from "../managed-file.ts";
import { addBlock, removeBlock } from "../marked-block.ts";
import type { ManagedFile, SetupProject } from "../setup.ts";
import { checkNotCommitted, excludeLine, realPathInside } from "../work-tree-file.ts";
import { CURSOR_RULES, hasRules, rulesText } from "./rules.ts";

export function cursorProjectFiles(projects: readonly SetupProject[]): ManagedFile[] {
  const excludes = new Set(projects.flatMap(({ exclude }) => exclude ?? []));
  return [
    ...projects.map(rulesFile),
    ...[...excludes].map((exclude) =>
      excludeFile(
        exclude,
        projects.filter((project) => project.exclude === exclude),
      ),
    ),
  ];
}

function rulesFile({ top, gitDir }: SetupProject): ManagedFile {
  const rules = ownFile(join(top, CURSOR_RULES), "add a rules file with C-Mem's context", rulesText(""), hasRules);
  return {
    ...rules,
    root: top,
    isPrivate: true,
    add(text) {
      if (gitDir !== undefined) checkNotCommitted(top, gitDir, realPathInside(top, rules.path));
      // An existing file keeps the context that hooks have written into it.
      return text !== undefined && hasRules(text) ? text : rules.add(text);
    },
  };
}

/** All working trees of a repository share one exclude file. */
function excludeFile(exclude: string, projects: readonly SetupProject[]): ManagedFile {
  return {
    path: exclude,
    root: dirname(dirname(exclude)),
    about: `have git ignore ${CURSOR_RULES}`,
    add: (text = "") => addBlock(text, [...new Set([`/${CURSOR_RULES}`, ...projects.flatMap(realExcludeLine)])]),
    remove: (text) => removeBlock(text) || undefined,
  };
}

/** If a folder above the file is a link, git ignores the file only by its real path. */
function realExcludeLine({ top }: SetupProject): string[] {
  try {
    return [excludeLine(relative(realpathSync(top), realPathInside(top, join(top, CURSOR_RULES))))];
  } catch {
    // The path leads out of the working tree, so the file will not be written.
    return [];
  }
}
