// A row of the table of secrets, and the short forms in which most rows are written.
import { isHarmless } from "./judge.ts";

export interface Secret {
  name: string;
  /** The pattern runs only on texts with one of these; without hints, on every text. */
  hints?: readonly string[];
  /** Where the sticky pattern can match, given the place of a word such as "password"; a text without one cannot match. */
  starts?: (text: string, word: number) => number[];
  /**
   * Global. The last matched group ends the match and is redacted; without groups, the match. A group `lead` is the part of
   * the secret before the match, found by a lookbehind.
   */
  pattern: () => RegExp;
  sample: string;
  /** Whether the match is a secret. */
  accept?: (match: RegExpExecArray, value: string) => boolean;
  /** The search continues inside a match that was not accepted. */
  nests?: true;
}

export interface SecretRange {
  start: number;
  end: number;
  name: string;
}

const MASKED = /x{6}|\*{4}|EXAMPLE(?:KEY)?$/i;

/** False for what stands for a secret in a manual: "sk-xxxxxxxx". */
export function isUnmasked(_: unknown, value: string): boolean {
  return !MASKED.test(value);
}

/** Compiled on first use: most texts need few of the patterns. */
export function lazy(source: string, flags = "g"): () => RegExp {
  let pattern: RegExp | undefined;
  return () => (pattern ??= new RegExp(source, flags));
}

/** Rows of a table, its columns three or more spaces apart. In the column of hints "|" separates, and keeps a space at an end. */
function rowsOf(table: string): string[][] {
  return table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/ {3,}/));
}

function hintsOf(column: string): string[] {
  return column.split("|").filter((hint) => hint !== "");
}

/** Kinds with a fixed prefix or alphabet. Columns: name, sample, hints, pattern. */
export function shapes(table: string): Secret[] {
  return rowsOf(table).map(([name = "", sample = "", hints = "", pattern = ""]) => ({
    name,
    hints: hintsOf(hints),
    pattern: lazy(pattern),
    sample,
    accept: isUnmasked,
  }));
}

export const WORD = "s3cr3t-Passw0rd";
export const VALUE = String.raw`(?:"([^"\n]{3,200})(?=")|'([^'\n]{3,200})(?=')|["']?([^\s"'|;&<>-][^\s"']{2,200}))`;
const PORTS = /^\d{1,5}(?::\d{1,5})?(?:\/\w+)?$/;

/** A password at a known place, such as behind a command's option. `sample` has a % in its place. */
export function login(hints: readonly string[], before: string, sample: string): Secret {
  return {
    name: "credential",
    hints,
    pattern: lazy(before + VALUE),
    sample: sample.replace(/%(?!%)/, WORD),
    accept: (_, value) => !isHarmless(value) && !PORTS.test(value),
  };
}

/** Columns: sample, hints, the pattern up to the password. */
export function logins(table: string): Secret[] {
  return rowsOf(table).map(([sample = "", hints = "", before = ""]) =>
    login(hintsOf(hints), before, sample.replaceAll("\\n", "\n")),
  );
}

const ARGUMENT = String.raw`(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[\w.$]{1,60})\s{0,4},\s{0,4}`;
const QUOTED = String.raw`(?:Some\(\s{0,4})?(?:"([^"\n]{3,200})(?=")|'([^'\n]{3,200})(?='))`;

/** Calls with a quoted password behind `before` other arguments. Columns: sample, hints, the pattern of the name. */
export function calls(before: number, table: string): Secret[] {
  return rowsOf(table).map(([sample = "", hints = "", name = ""]) => {
    const open = name.endsWith("?") ? String.raw`\(\s{0,4}` : String.raw`\w{0,20}\(\s{0,4}`;
    return {
      name: "credential",
      hints: hintsOf(hints),
      pattern: lazy(name + open + ARGUMENT.repeat(before) + QUOTED, "gi"),
      sample: sample.replace("%", WORD),
      accept: (_, value) => !isHarmless(value),
    };
  });
}

// Samples are put together here so that no secret scanner takes these files for a leak.
const ALNUM = "h7Kq2Vw9Xb4Nc8Zt3Ry6Mf5Lp1Gj0DsaT7uEoQiUyB2nWxC4vZkHd9JrSmPgFl3A8tYbKeXq5RwN6cV";
const HEX = "3f9a1c7be04d5826a1f0c39b7e5d8402bc6a91fe37d05c84e2b9a6710fd3c58b";

export const alnum = (length: number): string => ALNUM.slice(0, length);
export const hex = (length: number): string => HEX.slice(0, length);
