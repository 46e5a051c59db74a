// A whole session as a list of what is in it, without the texts: what the list, the replay and links to items go by.

/** As the API sends it: [id, kind, turn, at, is_error, bytes, name, agent]. */
export type WireEntry = [string, EntryKind, number, number, number, number, (string | null)?, (string | null)?];

export type EntryKind = "prompt" | "message" | "tool" | "subagent" | "response" | "commit";

export interface Entry {
  /** "p12", "m34", "t56", "r12" (response), "s7" (subagent), "c9" (commit). */
  id: string;
  kind: EntryKind;
  turn: number;
  at: number;
  isError: boolean;
  bytes: number;
  /** A tool's name or a message's role. */
  name: string;
  /** The subagent it happened in; "" in the session itself. */
  agent: string;
}

export interface Outline {
  entries: Entry[];
  indexes: Map<string, number>;
}

export function readOutline(wire: readonly WireEntry[]): Outline {
  const entries = wire.map(([id, kind, turn, at, isError, bytes, name, agent]) => ({
    id,
    kind,
    turn,
    at,
    isError: isError === 1,
    bytes,
    name: name ?? "",
    agent: agent ?? "",
  }));
  return { entries, indexes: new Map(entries.map((entry, index) => [entry.id, index])) };
}

export interface View {
  /** Subagents whose work is unfolded. */
  open: ReadonlySet<string>;
  /** Entries from here on have not happened yet. */
  until: number;
  /** Prompts and answers alone. */
  talkOnly: boolean;
}

/** The entries that are shown, by their index. */
export function visibleRows({ entries }: Outline, { open, until, talkOnly }: View): number[] {
  const rows: number[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index >= until) break;
    if (entry.agent !== "" && !open.has(entry.agent)) continue;
    if (talkOnly && (entry.kind === "tool" || entry.kind === "subagent" || entry.agent !== "")) continue;
    rows.push(index);
  }
  return rows;
}

/** Nobody wants to sit through a night between two prompts. */
const LONGEST_GAP_MS = 20_000;

/** When each entry happens in a replay, in milliseconds from its start: as it was, with long waits cut short. */
export function replayTimes(entries: readonly Entry[]): number[] {
  let clock = 0;
  let last = entries[0]?.at ?? 0;
  return entries.map(({ at }) => {
    // A subagent's work is listed together although other things happened meanwhile: time does not run back.
    clock += Math.min(LONGEST_GAP_MS, Math.max(0, at - last));
    last = Math.max(last, at);
    return clock;
  });
}

/** How many entries have happened by then. */
export function happenedBy(times: readonly number[], clock: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= clock) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How tall an entry is taken to be before it is there. */
export function estimateHeight({ kind, bytes }: Entry, widthPx: number): number {
  const lines = Math.ceil(bytes / Math.max(30, (widthPx - 40) / 7.5));
  switch (kind) {
    case "tool":
    case "commit":
      return 32;
    case "subagent":
      return 76;
    case "prompt":
      return 68 + Math.min(lines, 12) * 22;
    default:
      return 28 + lines * 24;
  }
}
