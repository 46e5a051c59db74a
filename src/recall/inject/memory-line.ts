// One observation as an agent is shown it: how long ago, what kind, what it says, and whether it still holds.
import { quoteOrders } from "../../core/privacy/fence.ts";
import type { FullField } from "../../config/schema.ts";
import { oneLine } from "../../core/text.ts";
import { estimateTokens } from "../../core/tokens.ts";
import { observationOf, type ObservationRow } from "../../store/tables/observations.ts";

const TITLE_CHARS = 140;

export function itemId(row: { id: number }): string {
  return `o${row.id}`;
}

/** Shown as one line of an index: it may still be told in full later. */
export function indexedId(row: { id: number }): string {
  return `i${row.id}`;
}

/** Text of an observation, safe to show: what a tool printed is never taken for anything but a quotation. */
export function spoken(text: string, maxChars: number): string {
  return quoteOrders(oneLine(text, maxChars));
}

export function titleLine(row: ObservationRow, now: number): string {
  return `#${itemId(row)}  ${age(row.valid_from, now)}  ${row.type}  ${spoken(row.title, TITLE_CHARS)}  ~${fullTokens(row)}`;
}

/** What all of it would take, were it asked for. */
export function fullTokens(row: ObservationRow): number {
  const { title, narrative, facts } = observationOf(row);
  return estimateTokens([title, narrative, ...facts].join("\n"));
}

/** What it says beyond its title. */
export function bodyOf(row: ObservationRow, field: FullField, maxChars: number): string {
  const { title, narrative, facts } = observationOf(row);
  const body = field === "facts" && facts.length > 0 ? facts.join(" · ") : narrative;
  const rest = body.startsWith(title) ? body.slice(title.length).replace(/^[\s.:]+/, "") : body;
  const withFacts = rest === "" ? facts.join(" · ") : rest;
  return spoken(withFacts, maxChars);
}

/** "3 d": short, for lines of an index. */
export function age(at: number, now: number): string {
  const minutes = Math.max(0, Math.round((now - at) / 60_000));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}
