// Finds the project of a path: the current project, the project of its folder, or one whose root is above it.
import { statSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { findPlace, pathFromRoot, pathNames } from "../capture/project.ts";
import { findProjectHere } from "../capture/capture-context.ts";
import type { Env, Paths } from "../config/paths.ts";
import { isWindowsPath, slashedPath } from "../core/windows-path.ts";
import type { Db } from "../store/db/driver.ts";
import { type ProjectRow, projectAbove } from "../store/tables/projects.ts";

export interface PathLocation {
  /**
   * Spellings of the path relative to the project, likeliest first; "." is the root. If the project is unknown: the full
   * path.
   */
  names: string[];
  /** Set if the path is absolute or leads into another project. Undefined for the current or an unknown project. */
  project?: ProjectRow;
  /** The path is outside of every known project. */
  isUnknown: boolean;
}

export function locatePath(
  { db, paths, env, cwd }: { db: Db; paths: Paths; env: Env; cwd: string | undefined },
  typed: string,
): PathLocation {
  const text = typed.replaceAll("\0", "");
  if (isWindowsPath(text))
    return locateInProjectAbove(db, slashedPath(text)) ?? { names: [slashedPath(text)], isUnknown: true };
  if (cwd === undefined && !isAbsolute(text)) return { names: [plainName(text)], isUnknown: false };
  const full = resolve(cwd ?? "/", text);
  const isBelow = cwd !== undefined && !isAbsolute(text) && !/^\.\.(?:\/|$)/.test(relative(cwd, full));
  const projectOf = (folder: string): ProjectRow | undefined => findProjectHere(db, { paths, env, cwd: folder }).known;
  if (isBelow && projectOf(cwd) !== undefined) return { names: namesFrom(cwd, full, text), isUnknown: false };
  // From ~/projects, where no session ran: "app/src/a.ts" is src/a.ts of the project app.
  const folder = existingFolder(full);
  const project = projectOf(folder);
  if (project !== undefined) return { names: namesFrom(folder, full), project, isUnknown: false };
  const above = locateInProjectAbove(db, full);
  if (above !== undefined || !isBelow) return above ?? { names: [full], isUnknown: true };
  return { names: namesFrom(cwd, full, text), isUnknown: false };
}

/** Spellings of the path relative to the project of `folder`. */
function namesFrom(folder: string, full: string, typed?: string): string[] {
  const { tree, folder: own } = findPlace(folder);
  if (full === (tree?.top ?? own)) return ["."];
  const names = pathNames(typed ?? full, folder);
  return [...new Set(names.map(plainName))].filter((name) => !/^\.{1,2}(?:\/|$)/.test(name));
}

/** "./src/" -> "src" */
function plainName(text: string): string {
  return text.replace(/^(?:\.\/)+(?=.)/, "").replace(/(?<=.)\/+$/, "");
}

function locateInProjectAbove(db: Db, full: string): PathLocation | undefined {
  const project = projectAbove(db, full);
  if (project === undefined) return undefined;
  const inside = pathFromRoot(full, project.root);
  return { names: inside === full ? ["."] : [inside, full], project, isUnknown: false };
}

/** The path itself or its nearest existing parent. */
function existingFolder(path: string): string {
  for (let folder = path; ; folder = dirname(folder)) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true || dirname(folder) === folder)
      return folder;
  }
}
