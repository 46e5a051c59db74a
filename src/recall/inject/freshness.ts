// Checks whether an observation still matches the working tree, before it is injected. Fast enough for hooks.
import { isAbsolute, join } from "node:path";
import type { Observation } from "../../core/memory.ts";
import { readText, statOf } from "../../platform/read-file.ts";

export type Freshness =
  /** The observation still matches its files, or names none. */
  | { kind: "holds" }
  /** None of its files exists. */
  | { kind: "gone" }
  /** A file was changed, and a name that the observation mentions is in none of its files. */
  | { kind: "renamed"; name: string; file: string }
  /** A file was changed after the observation became valid. */
  | { kind: "changed"; file: string };

const MAX_FILES = 4;
const MAX_NAMES = 4;
const MAX_FILE_CHARS = 400_000;
/** File times and recorded times of the same write differ by up to a minute. */
const SAME_MOMENT_MS = 60_000;
/** A name in backticks: `parseLine`, `parse_line()`. */
const NAME = /`([A-Za-z_$][\w$.-]{3,60})(?:\(\))?`/g;

/** `readFiles`: look for names in the files; slow, so only for the few observations shown in full. */
export function checkAgainstTree(
  observation: Pick<Observation, "files" | "title" | "narrative">,
  { top, since, readFiles }: { top: string; since: number; readFiles: boolean },
): Freshness {
  const files = observation.files.slice(0, MAX_FILES);
  if (files.length === 0) return { kind: "holds" };
  const existing = files.flatMap((file) => {
    const path = isAbsolute(file) ? file : join(top, file);
    const stat = statOf(path);
    return stat?.isFile() ? [{ file, path, mtimeMs: stat.mtimeMs }] : [];
  });
  if (existing.length === 0) return { kind: "gone" };
  const changed = existing.find(({ mtimeMs }) => mtimeMs > since + SAME_MOMENT_MS);
  if (changed === undefined) return { kind: "holds" };
  const { file } = changed;
  const paths = existing.map(({ path }) => path);
  const name = readFiles ? missingName(`${observation.title} ${observation.narrative}`, paths) : undefined;
  return name === undefined ? { kind: "changed", file } : { kind: "renamed", name, file };
}

function missingName(text: string, paths: readonly string[]): string | undefined {
  const names = [...text.matchAll(NAME)].map((match) => match[1] ?? "").filter(isCodeName);
  if (names.length === 0) return undefined;
  const texts = paths.map((path) => readText(path)?.slice(0, MAX_FILE_CHARS) ?? "").join("\n");
  return names.slice(0, MAX_NAMES).find((name) => !texts.includes(name.split(".").at(-1) ?? name));
}

/** `parseLine` and `parse_line`, but not `main.ts` or `install`. */
function isCodeName(name: string): boolean {
  return /[a-z][A-Z]|_/.test(name) && !/\.[a-z]{1,4}$/.test(name);
}

/** A note appended to the observation's line. */
export function freshnessNote(freshness: Freshness): string {
  switch (freshness.kind) {
    case "holds":
      return "";
    case "gone":
      return " (its files are gone)";
    case "renamed":
      return ` (may no longer hold: \`${freshness.name}\` is not in ${freshness.file} any more)`;
    case "changed":
      return " (the file has changed since)";
  }
}
