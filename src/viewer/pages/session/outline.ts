// All items of a session without their texts, for the list, the replay and links.
import type { outline } from "../../../queries/session-items.ts";
import type { RowOf } from "../../api.ts";

export type Outline = ReturnType<typeof readOutline>;
export type Entry = Outline["entries"][number];

export function readOutline(rows: readonly RowOf<typeof outline>[]) {
  const entries = rows.map(([id, kind, turn, at, isError, bytes, name, agent]) => ({
    /** "p12", "m34", "t56", "r12" (response), "s7" (subagent), "c9" (commit). */
    id,
    /** "prompt", "message", "tool", "subagent", "response" or "commit". */
    kind,
    turn,
    at,
    isError: isError === 1,
    bytes,
    /** A tool's name, a message's role, or a prompt's first words. */
    name: name ?? "",
    /** The id of the subagent that the item belongs to; "" for the main session. */
    agent: agent ?? "",
  }));
  return { entries, indexes: new Map(entries.map(({ id }, index) => [id, index])) };
}

interface View {
  /** Ids of the subagents whose items are shown. */
  open: ReadonlySet<string>;
  /** Only the first `until` entries are shown. A replay increases this number. */
  until: number;
  /** Hide tools and subagents. */
  talkOnly: boolean;
}

export function visibleEntries({ entries }: Outline, { open, until, talkOnly }: View): Entry[] {
  return entries.filter(
    (entry, index) => index < until && (entry.agent === "" || open.has(entry.agent)) && !(talkOnly && isWork(entry)),
  );
}

/** Whether "Talk only" hides the entry. */
export function isWork({ kind, agent }: Entry): boolean {
  return kind === "tool" || kind === "subagent" || agent !== "";
}

/** Longer waits, such as a night between two prompts, are shortened to this. */
const MAX_GAP_MS = 20_000;

/** The time of each entry in a replay, in milliseconds from the replay's start. */
export function replayTimes(entries: readonly Entry[]): number[] {
  let clock = 0;
  let last = entries[0]?.at ?? 0;
  return entries.map(({ at }) => {
    // Entries of parallel subagents are not sorted by time, but the replay's clock must not run backwards.
    clock += Math.min(MAX_GAP_MS, Math.max(0, at - last));
    last = Math.max(last, at);
    return clock;
  });
}

/** The number of entries until `clock`. */
export function countUntil(times: readonly number[], clock: number): number {
  return times.findLastIndex((time) => time <= clock) + 1;
}

/** The estimated height of an entry that was not rendered yet. Assumes that its text is 700 px wide. */
export function estimateHeight({ kind, bytes }: Entry): number {
  const lines = Math.ceil(bytes / 88);
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
