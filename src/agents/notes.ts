// Counts what a reader met and does not know, within bounds: the names come from outside.
import type { ReadNotes } from "./transcript.ts";

const MAX_NAMES = 100;
const MAX_NAME_CHARS = 80;
const OTHERS = "(others)";

export function countUnknown(notes: ReadNotes, type: unknown): void {
  const spelled = typeof type === "string" && type !== "" ? type.slice(0, MAX_NAME_CHARS) : "(no type)";
  const known = Object.hasOwn(notes.unknown, spelled);
  // Assigning this one name would change the object instead of counting.
  const isFull = spelled === "__proto__" || Object.keys(notes.unknown).length >= MAX_NAMES;
  const name = known || !isFull ? spelled : OTHERS;
  notes.unknown[name] = (Object.hasOwn(notes.unknown, name) ? (notes.unknown[name] ?? 0) : 0) + 1;
}
