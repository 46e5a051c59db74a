// What agents write to hooks and transcripts is loose JSON: every field may be missing or odd. These look at it safely.
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

/** The objects of an array; what else is in it is left out. */
export function asObjects(value: unknown): JsonObject[] {
  return asArray(value)
    .map(asObject)
    .filter((item) => item !== undefined);
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

/** A count of something: tokens, lines, milliseconds. */
/** No session has that many of anything; sums of such numbers would not be numbers any more. */
const MAX_COUNT = 1e12;

export function asCount(value: unknown): number | undefined {
  const count = asInteger(value);
  // "+ 0": JSON may say -0, which would not survive being stored.
  return count !== undefined && count >= 0 && count <= MAX_COUNT ? count + 0 : undefined;
}

/** A moment in milliseconds, written as ISO 8601 or as the number itself. */
export function asTime(value: unknown): number | undefined {
  const at = typeof value === "string" ? Date.parse(value) : asInteger(value);
  return at !== undefined && at > 0 && isTime(at) ? at : undefined;
}

/** A hook may run late, or again from a queue; a clock may run a little fast. Other times are wrong. */
const LATE_MS = 24 * 60 * 60_000;
const AHEAD_MS = 60_000;

/** When a payload says that it happened, if that can be; else now. */
export function payloadTime(timestamp: unknown, now: number): number {
  const at = asTime(timestamp);
  return at !== undefined && at >= now - LATE_MS && at <= now + AHEAD_MS ? at : now;
}

/** JSON that stands in a string, or undefined where it is none. */
export function parseJson(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** For optional fields: the property itself is left out where there is no value. */
export function present<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

/** The text of content blocks, as MCP tools, agents and transcripts carry them. */
export function blocksText(blocks: readonly Json[]): string {
  const parts = blocks.map((block) => {
    const object = asObject(block);
    if (object === undefined) return typeof block === "string" ? block : JSON.stringify(block);
    return asString(object["text"]) ?? `[${asString(object["type"]) ?? "block"}]`;
  });
  return parts.join("\n");
}

/** What a message holds: its text, or that of its blocks. */
export function contentText(content: Json | undefined): string | undefined {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? blocksText(content) : undefined;
}
