// Whether a memory still holds: cheap looks at today's working tree, before anything is shown.
import { isAbsolute, join } from "node:path";
import { readText, statOf } from "../../platform/read-file.ts";
import type { Observation } from "../../core/memory.ts";

export type Standing =
  | { kind: "holds" }
  /** All files it is about are gone. */
  | { kind: "gone" }
  /** A name it speaks of no longer stands in its file. */
  | { kind: "renamed"; name: string; file: string }
  /** Somebody changed its file since. */
  | { kind: "changed"; file: string };

const MAX_FILES = 4;
const MAX_NAMES = 4;
const MAX_FILE_CHARS = 400_000;
/** An edit is noted a moment before or after the file's own time says so. */
const SAME_MOMENT_MS = 60_000;
/** What is written `like this` and reads as a name in code or as a setting. */
const NAME = /`([A-Za-z_$][\w$.-]{3,60})(?:\(\))?`/g;

/** `deep` looks into the files as well: for the few that are shown in full. */
export function standingOf(
  observation: Pick<Observation, "files" | "title" | "narrative">,
  { top, since, deep }: { top: string; since: number; deep: boolean },
): Standing {
  const files = observation.files.slice(0, MAX_FILES);
  if (files.length === 0) return { kind: "holds" };
  const found = files
    .map((file) => ({ file, path: isAbsolute(file) ? file : join(top, file) }))
    .map(({ file, path }) => ({ file, path, stat: statOf(path) }))
    .filter(({ stat }) => stat?.isFile());
  if (found.length === 0) return { kind: "gone" };
  const changed = found.find(({ stat }) => (stat?.mtimeMs ?? 0) > since + SAME_MOMENT_MS);
  if (changed === undefined) return { kind: "holds" };
  if (!deep) return { kind: "changed", file: changed.file };
  const missing = missingName(observation, found);
  if (missing !== undefined) return { kind: "renamed", name: missing, file: changed.file };
  return { kind: "changed", file: changed.file };
}

function missingName(
  { title, narrative }: Pick<Observation, "title" | "narrative">,
  files: readonly { path: string }[],
): string | undefined {
  const names = [...`${title} ${narrative}`.matchAll(NAME)].map((match) => match[1] ?? "").filter(isCode);
  if (names.length === 0) return undefined;
  const texts = files.map(({ path }) => readText(path)?.slice(0, MAX_FILE_CHARS) ?? "").join("\n");
  return names.slice(0, MAX_NAMES).find((name) => !texts.includes(name.split(".").at(-1) ?? name));
}

/** Not a file, a command or a plain word: something that is defined somewhere. */
function isCode(name: string): boolean {
  return /[a-z][A-Z]|_/.test(name) && !/\.[a-z]{1,4}$/.test(name);
}

/** How it is told beside the memory. */
export function standingNote(standing: Standing): string {
  switch (standing.kind) {
    case "holds":
      return "";
    case "gone":
      return " (its files are gone)";
    case "renamed":
      return ` (may no longer hold: \`${standing.name}\` is not in ${standing.file} any more)`;
    case "changed":
      return " (the file has changed since)";
  }
}
