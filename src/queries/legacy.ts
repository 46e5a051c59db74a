// What the questions that are not in `query.ts`'s form yet share. Goes when the last of them is converted.
import { AppError } from "../core/error.ts";
import type { Scope } from "../store/reads/scope.ts";
import type { EmbeddingCache } from "./embedding-cache.ts";
import type { Json } from "./envelope.ts";
import { readInput } from "./fields.ts";
import type { QueryContext } from "./query.ts";
import { LIMIT, readScope, SCOPE } from "./scope.ts";

export interface Asked extends Omit<QueryContext, "embeddings"> {
  flags: Json;
  kept?: EmbeddingCache;
}

export function questionOf(asked: Asked, limit: number): { scope: Scope; limit: number; where: string } {
  const input = readInput({ ...SCOPE, ...LIMIT }, asked.flags, (key) => `--${key}`);
  return { ...readScope(input, asked), limit: input.limit ?? limit };
}

export function legacyRange(flags: Json) {
  return readInput(SCOPE, flags, (key) => `--${key}`);
}

const MAX_COUNT = 1_000_000_000;

export function readOffset(flags: Record<string, unknown>): number {
  return wholeNumber("offset", flags["offset"] ?? 0);
}

/** 0 included. */
export function wholeNumber(name: string, value: unknown): number {
  const number = value === "" ? Number.NaN : Number(value);
  if (Number.isInteger(number) && number >= 0 && number <= MAX_COUNT) return number;
  throw new AppError("usage", `${name} takes a whole number, not "${String(value)}".`);
}

export function positiveInteger(flag: string, value: unknown): number {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0 && number <= MAX_COUNT) return number;
  throw new AppError("usage", `${flag} takes a whole number above 0, not "${String(value)}".`);
}
