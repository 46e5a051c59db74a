// Memories that contradict a line of the rules an agent reads anyway: shown as a conflict, never as a fact.
import { basename } from "node:path";
import { readText } from "../../platform/read-file.ts";
import { oneLine } from "../../core/text.ts";
import { STOP_WORDS, wordsOf } from "../../core/words.ts";

export interface RuleLine {
  file: string;
  text: string;
  claims: Claim[];
}

interface Claim {
  /** What it says to use, or not to. */
  object: string;
  wanted: boolean;
}

const MAX_LINES = 400;
const LINE_CHARS = 300;

export function readRules(files: readonly string[]): RuleLine[] {
  return files.flatMap((file) =>
    (readText(file) ?? "")
      .split("\n", MAX_LINES)
      .map((line) => oneLine(line.replace(/^[\s#>*\d.-]+/, ""), LINE_CHARS))
      .map((text) => ({ file: basename(file), text, claims: claimsOf(text) }))
      .filter(({ claims }) => claims.length > 0),
  );
}

/** The first rule that says the opposite of this memory. */
export function conflictWith(text: string, rules: readonly RuleLine[]): RuleLine | undefined {
  if (rules.length === 0) return undefined;
  const claims = claimsOf(text);
  if (claims.length === 0) return undefined;
  return rules.find((rule) =>
    rule.claims.some((theirs) => claims.some((own) => own.object === theirs.object && own.wanted !== theirs.wanted)),
  );
}

const VERB = "(?:use|using|run|prefer|choose|import|install|add|write|commit|keep|enable)";
const OBJECT = "([`\"']?[\\w@./:-]+[`\"']?)";
let made: [RegExp, RegExp] | undefined;

/** Made when they are first needed: mostly they are not. */
function patterns(): [RegExp, RegExp] {
  made ??= [
    new RegExp(
      String.raw`\b(?:do not|don't|never|avoid|no longer|not|stop|without|instead of|rather than|over)\s+(?:${VERB}\s+)?(?:the\s+|an?\s+)?${OBJECT}`,
      "gi",
    ),
    new RegExp(String.raw`\b(?:always\s+)?${VERB}\s+(?:the\s+|an?\s+|only\s+)?${OBJECT}`, "gi"),
  ];
  return made;
}

/** "Use pnpm instead of npm": pnpm is wanted, npm is not. */
function claimsOf(text: string): Claim[] {
  const [avoid, want] = patterns();
  const avoided = new Set([...text.matchAll(avoid)].map((match) => nameOf(match[1])).filter(Boolean));
  const wanted = new Set(
    [...text.matchAll(want)].map((match) => nameOf(match[1])).filter((name) => name !== "" && !avoided.has(name)),
  );
  return [
    ...[...avoided].map((object) => ({ object, wanted: false })),
    ...[...wanted].map((object) => ({ object, wanted: true })),
  ];
}

/** The thing itself; a word that could be anything names nothing. */
function nameOf(written: string | undefined): string {
  const name = (written ?? "")
    .replace(/[`"']/g, "")
    .replace(/[.:]+$/, "")
    .toLowerCase();
  const isPlain = wordsOf(name).every((word) => STOP_WORDS.has(word) || VAGUE.has(word));
  return name.length < 2 || isPlain ? "" : name;
}

const VAGUE = new Set(
  "any new old same one two it code file files test tests function functions class need want be have only".split(" "),
);
