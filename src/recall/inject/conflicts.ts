// Finds decisions that contradict a rules file (CLAUDE.md, AGENTS.md, MEMORY.md). They are injected as a conflict.
import { basename } from "node:path";
import { claimsOf, doClaimsConflict } from "../../core/claims.ts";
import { oneLine } from "../../core/text.ts";
import { readText } from "../../platform/read-file.ts";

export type RuleLine = ReturnType<typeof readRules>[number];

const MAX_LINES = 400;
const LINE_CHARS = 300;

export function readRules(files: readonly string[]) {
  return files.flatMap((file) =>
    (readText(file) ?? "")
      .split("\n", MAX_LINES)
      .map((line) => oneLine(line.replace(/^[\s#>*\d.-]+/, ""), LINE_CHARS))
      .map((text) => ({ file: basename(file), text, claims: claimsOf(text) }))
      .filter(({ claims }) => claims.length > 0),
  );
}

/** The first rule that contradicts the text. */
export function conflictWith(text: string, rules: readonly RuleLine[]): RuleLine | undefined {
  if (rules.length === 0) return undefined;
  const own = claimsOf(text);
  return rules.find(({ claims }) => doClaimsConflict(claims, own));
}
