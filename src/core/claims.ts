// What a rule wants and what it rules out, to find rules that contradict each other.
import { STOP_WORDS, wordsOf } from "./words.ts";

/** "Use pnpm" -> { object: "pnpm", isWanted: true } */
export interface Claim {
  object: string;
  isWanted: boolean;
}

/** True if one text wants what the other rules out. */
export function doClaimsConflict(some: readonly Claim[], others: readonly Claim[]): boolean {
  return some.some((one) => others.some((other) => other.object === one.object && other.isWanted !== one.isWanted));
}

const VERB = "(?:use|using|run|prefer|choose|import|install|add|write|commit|keep|enable)";
const NOT = "(?:do not|don't|never|avoid|no longer|not|stop|without|instead of|rather than|over)";
const OBJECT = "([`\"']?[\\w@./:-]+[`\"']?)";
const AVOIDED = new RegExp(String.raw`\b${NOT}\s+(?:${VERB}\s+)?(?:the\s+|an?\s+)?${OBJECT}`, "gi");
const WANTED = new RegExp(String.raw`\b(?:always\s+)?${VERB}\s+(?:the\s+|an?\s+|only\s+)?${OBJECT}`, "gi");

/** "Use pnpm instead of npm" -> pnpm is wanted, npm is not */
export function claimsOf(text: string): Claim[] {
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
