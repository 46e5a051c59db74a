// Reads JSON from hooks and transcripts, where any field may be missing or of another type.
import { isTime } from "./time.ts";

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export function asArray(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}

/** The objects of an array; skips other values. */
export function asObjects(value: unknown): JsonObject[] {
  return asArray(value)
    .map(asObject)
    .filter((item) => item !== undefined);
}

export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Limited, because ids come from agents and become database keys. */
const MAX_ID_CHARS = 256;

export function asId(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= MAX_ID_CHARS ? value : undefined;
}

export function asInteger(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(Math.round(value)) ? Math.round(value) : undefined;
}

/** Sums of larger counts would lose precision. */
const MAX_COUNT = 1e12;

export function asCount(value: unknown): number | undefined {
  const count = asInteger(value);
  // "+ 0" turns -0 into 0, as the database would.
  return count !== undefined && count >= 0 && count <= MAX_COUNT ? count + 0 : undefined;
}

/** Milliseconds, from ISO 8601 or a number. */
export function asTime(value: unknown): number | undefined {
  const at = typeof value === "string" ? Date.parse(value) : asInteger(value);
  return at !== undefined && at > 0 && isTime(at) ? at : undefined;
}

/** A hook may run late, and the agent's clock may be slightly fast. A time beyond these limits is wrong. */
const LATE_MS = 24 * 60 * 60_000;
const AHEAD_MS = 60_000;

/** The payload's timestamp if plausible, else now. */
export function payloadTime(timestamp: unknown, now: number): number {
  const at = asTime(timestamp);
  return at !== undefined && at >= now - LATE_MS && at <= now + AHEAD_MS ? at : now;
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The texts of content blocks, joined by line breaks. A block without text becomes its type: "[image]". */
export function blocksText(blocks: readonly Json[]): string {
  const parts = blocks.map((block) => {
    const object = asObject(block);
    if (object === undefined) return typeof block === "string" ? block : JSON.stringify(block);
    return asString(object["text"]) ?? `[${asString(object["type"]) ?? "block"}]`;
  });
  return parts.join("\n");
}

/** The text of a message: a string or content blocks. */
export function contentText(content: Json | undefined): string | undefined {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? blocksText(content) : undefined;
}
