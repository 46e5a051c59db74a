// One kind of credential: what it looks like, and how to find it quickly.

export interface Secret {
  name: string;
  /** A text with none of these cannot match. Without hints the pattern always runs. */
  hints?: readonly string[];
  /** Where a match can begin, given the place of a word such as "password" or "key"; a text without one cannot match. */
  starts?: (text: string, word: number) => number[];
  /**
   * Global. The last group that took part ends the match and is what gets replaced; without groups it is the match. A
   * group named `lead` is a part of the secret that a lookbehind found before the match.
   */
  pattern: () => RegExp;
  sample: string;
  /** A second look at what the pattern found. */
  accept?: (match: RegExpExecArray, value: string) => boolean;
  /** What was not accepted may hold another: the search goes on within it. */
  nests?: true;
}

export interface SecretRange {
  start: number;
  end: number;
  name: string;
}

/** Kinds that their first letters give away. What stands for one in a manual is none. */
export function row(name: string, hints: readonly string[], pattern: () => RegExp, sample: string): Secret {
  return { name, hints, pattern, sample, accept: (_, value) => !MASKED.test(value) };
}

const MASKED = /x{6}|\*{4}|EXAMPLE(?:KEY)?$/i;

/** Most texts need few of the patterns: each is made when it is first asked for. */
export function once(make: () => RegExp): () => RegExp {
  let pattern: RegExp | undefined;
  return () => (pattern ??= make());
}

// Samples are put together here so that no secret scanner takes these files for a leak.
const ALNUM = "h7Kq2Vw9Xb4Nc8Zt3Ry6Mf5Lp1Gj0DsaT7uEoQiUyB2nWxC4vZkHd9JrSmPgFl3A8tYbKeXq5RwN6cV";
const HEX = "3f9a1c7be04d5826a1f0c39b7e5d8402bc6a91fe37d05c84e2b9a6710fd3c58b";

export const alnum = (length: number): string => ALNUM.slice(0, length);
export const hex = (length: number): string => HEX.slice(0, length);
