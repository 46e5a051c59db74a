// Takes secrets and private text out of the files beside the database: drops, logs, copies of transcripts.
import { readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import type { Paths } from "../../config/paths.ts";
import { cleanedJson } from "../../core/privacy/cleaned-text.ts";
import { replaceFile } from "../../platform/replace-file.ts";
import { allCopies, copyPath, rewriteCopy } from "../../capture/sync/archive-copies.ts";

export type FileFix = "rewritten" | "removed" | "left";

/**
 * The user's own settings are left to the user. A copy of the agent's settings would be put back at uninstall: without
 * its secrets it would do harm, so it goes as a whole (uninstall then takes out our own entries only).
 */
export async function cleanFile(paths: Paths, path: string): Promise<FileFix> {
  if (path === paths.config) return "left";
  if (path.startsWith(paths.cache) || /^claude-settings-.*\.json$/.test(basename(path))) return remove(path);
  if (path.startsWith(paths.archive) && path.endsWith(".gz")) return await cleanCopy(paths.archive, path);
  const bytes = readFileSync(path);
  if (bytes.includes(0)) return remove(path);
  replaceFile(path, cleanLines(bytes.toString("utf8")));
  return "rewritten";
}

function remove(path: string): FileFix {
  rmSync(path, { force: true });
  return "removed";
}

/** A copy that nothing is known about cannot be read again: it is no copy of anything. */
async function cleanCopy(archive: string, path: string): Promise<FileFix> {
  const copy = allCopies(archive).find(({ file }) => copyPath(archive, file) === path);
  if (copy === undefined) return remove(path);
  await rewriteCopy(archive, copy, cleanLines);
  return "rewritten";
}

/** As a whole where it is one piece of JSON, else line by line. */
function cleanLines(text: string): string {
  try {
    JSON.parse(text);
    return cleanedJson(text)?.text ?? text;
  } catch {
    return text
      .split("\n")
      .map((line) => cleanedJson(line)?.text ?? line)
      .join("\n");
  }
}
