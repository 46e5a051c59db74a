// The type of a row in the table of secrets, and short forms to write rows.
import { isHarmless } from "./judge.ts";

export interface Secret {
  name: string;
  /** The pattern runs only on texts that contain one of these. Without hints, it runs on every text. */
  hints?: readonly string[];
  /** For a sticky pattern: the places where it can match near the place of a word such as "password". */
  starts?: (text: string, word: number) => number[];
  /**
   * A global pattern. Redacts the last matched group, which ends the match, or without groups the whole match. A group
   * `lead` is the part of the secret before the match, found by a lookbehind.
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

/** False for a masked secret, as in documentation: "sk-xxxxxxxx". */
export function isUnmasked(_: unknown, value: string): boolean {
  return !MASKED.test(value);
}

/** Compiled on first use: most texts need few of the patterns. */
export function lazy(source: string, flags = "g"): () => RegExp {
  let pattern: RegExp | undefined;
  return () => (pattern ??= new RegExp(source, flags));
}

/** Columns are three or more spaces apart. In the column of hints "|" separates hints and protects a final space. */
function rowsOf(table: string): string[][] {
  return table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/ {3,}/));
}

function hintsOf(column: string): string[] {
  return column.split("|").filter((hint) => hint !== "");
}

/** Secrets with a fixed prefix or alphabet. Columns: name, sample, hints, pattern. */
export function patternRows(table: string): Secret[] {
  return rowsOf(table).map(([name = "", sample = "", hints = "", pattern = ""]) => ({
    name,
    hints: hintsOf(hints),
    pattern: lazy(pattern),
    sample,
    accept: isUnmasked,
  }));
}

export const SAMPLE_PASSWORD = "s3cr3t-Passw0rd";
export const VALUE = String.raw`(?:"([^"\n]{3,200})(?=")|'([^'\n]{3,200})(?=')|["']?([^\s"'|;&<>-][^\s"']{2,200}))`;
const PORTS = /^\d{1,5}(?::\d{1,5})?(?:\/\w+)?$/;

/** A password at a known place, such as after an option. `before` matches up to it; in `sample` it is %. */
export function loginRow(hints: readonly string[], before: string, sample: string): Secret {
  return {
    name: "credential",
    hints,
    pattern: lazy(before + VALUE),
    sample: sample.replace(/%(?!%)/, SAMPLE_PASSWORD),
    accept: (_, value) => !isHarmless(value) && !PORTS.test(value),
  };
}

/** Returns a `loginRow` for each line. Columns: sample, hints, the pattern up to the password. */
export function loginRows(table: string): Secret[] {
  return rowsOf(table).map(([sample = "", hints = "", before = ""]) =>
    loginRow(hintsOf(hints), before, sample.replaceAll("\\n", "\n")),
  );
}

const ARGUMENT = String.raw`(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[\w.$]{1,60})\s{0,4},\s{0,4}`;
const QUOTED = String.raw`(?:Some\(\s{0,4})?(?:"([^"\n]{3,200})(?=")|'([^'\n]{3,200})(?='))`;

/** Calls with a quoted password after `before` arguments. Columns: sample, hints, the pattern of the name. */
export function callRows(before: number, table: string): Secret[] {
  return rowsOf(table).map(([sample = "", hints = "", name = ""]) => {
    const open = name.endsWith("?") ? String.raw`\(\s{0,4}` : String.raw`\w{0,20}\(\s{0,4}`;
    return {
      name: "credential",
      hints: hintsOf(hints),
      pattern: lazy(name + open + ARGUMENT.repeat(before) + QUOTED, "gi"),
      sample: sample.replace("%", SAMPLE_PASSWORD),
      accept: (_, value) => !isHarmless(value),
    };
  });
}

// Samples are built from these, so that secret scanners do not report these files as a leak.
const ALNUM = "h7Kq2Vw9Xb4Nc8Zt3Ry6Mf5Lp1Gj0DsaT7uEoQiUyB2nWxC4vZkHd9JrSmPgFl3A8tYbKeXq5RwN6cV";
const HEX = "3f9a1c7be04d5826a1f0c39b7e5d8402bc6a91fe37d05c84e2b9a6710fd3c58b";

export const alnum = (length: number): string => ALNUM.slice(0, length);
export const hex = (length: number): string => HEX.slice(0, length);
