// Deterministic pseudo-random values from a seed.

export interface Random {
  /** From 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(items: readonly T[]): T;
  /** `length` characters of the alphabet. */
  text(alphabet: string, length: number): string;
}

export const LOWER = "abcdefghijklmnopqrstuvwxyz";
export const UPPER = LOWER.toUpperCase();
export const DIGITS = "0123456789";
export const ALNUM = LOWER + UPPER + DIGITS;
export const HEX = `${DIGITS}abcdef`;
export const BASE64 = `${ALNUM}+/`;
export const BASE64URL = `${ALNUM}-_`;

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    pick: <T>(items: readonly T[]): T => items[int(items.length)] as T,
    text: (alphabet, length) => Array.from({ length }, () => alphabet[int(alphabet.length)]).join(""),
  };
}

export function uuid(random: Random): string {
  return [8, 4, 4, 4, 12].map((length) => random.text(HEX, length)).join("-");
}
