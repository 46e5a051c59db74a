// What Claude Code writes to a hook's stdin and into its transcripts: loose, every field may be missing or odd.

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Ids come from outside and become keys: not empty, not absurdly long. */
const MAX_ID_CHARS = 256;

export function asId(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= MAX_ID_CHARS ? value : undefined;
}

export function asInteger(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(Math.round(value)) ? Math.round(value) : undefined;
}
