// Finds decisions that contradict a rules file (CLAUDE.md, AGENTS.md, MEMORY.md). They are injected as a conflict.
import { basename } from "node:path";
import { oneLine } from "../../core/text.ts";
import { STOP_WORDS, wordsOf } from "../../core/words.ts";
import { readText } from "../../platform/read-file.ts";

export type RuleLine = ReturnType<typeof readRules>[number];

/** "Use pnpm" -> { object: "pnpm", isWanted: true } */
interface Claim {
  object: string;
  isWanted: boolean;
}

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
  return rules.find(({ claims }) =>
    claims.some((theirs) => own.some((one) => one.object === theirs.object && one.isWanted !== theirs.isWanted)),
  );
}

const VERB = "(?:use|using|run|prefer|choose|import|install|add|write|commit|keep|enable)";
const NOT = "(?:do not|don't|never|avoid|no longer|not|stop|without|instead of|rather than|over)";
const OBJECT = "([`\"']?[\\w@./:-]+[`\"']?)";
const AVOIDED = new RegExp(String.raw`\b${NOT}\s+(?:${VERB}\s+)?(?:the\s+|an?\s+)?${OBJECT}`, "gi");
const WANTED = new RegExp(String.raw`\b(?:always\s+)?${VERB}\s+(?:the\s+|an?\s+|only\s+)?${OBJECT}`, "gi");

/** "Use pnpm instead of npm" -> pnpm is wanted, npm is not */
function claimsOf(text: string): Claim[] {
  const objects = (pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map((match) => objectName(match[1] ?? "")).filter((name) => name !== "");
  const avoided = new Set(objects(AVOIDED));
  const wanted = new Set(objects(WANTED).filter((name) => !avoided.has(name)));
  return [
    ...[...avoided].map((object) => ({ object, isWanted: false })),
    ...[...wanted].map((object) => ({ object, isWanted: true })),
  ];
}

/** "`Pnpm`." -> "pnpm"; vague words ("code", "it") -> "" */
function objectName(written: string): string {
  const name = written
    .replace(/[`"']/g, "")
    .replace(/[.:]+$/, "")
    .toLowerCase();
  const isVague = wordsOf(name).every((word) => STOP_WORDS.has(word) || VAGUE.has(word));
  return name.length < 2 || isVague ? "" : name;
}

const VAGUE = new Set(
  "any new old same one two it code file files test tests function functions class need want be have only".split(" "),
);
