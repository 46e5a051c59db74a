// The items of a whole session without their texts: what the list, the replay and links need.
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
    /** The subagent that did it; "" for the session itself. */
    agent: agent ?? "",
  }));
  return { entries, indexes: new Map(entries.map(({ id }, index) => [id, index])) };
}

interface View {
  /** Subagents whose items are shown. */
  open: ReadonlySet<string>;
  /** In a replay, how many entries have happened. */
  until: number;
  /** Hide tools and subagents. */
  talkOnly: boolean;
}

export function visibleEntries({ entries }: Outline, { open, until, talkOnly }: View): Entry[] {
  return entries.filter(
    (entry, index) => index < until && (entry.agent === "" || open.has(entry.agent)) && !(talkOnly && isWork(entry)),
  );
}

/** Whether "Talk only" hides it. */
export function isWork({ kind, agent }: Entry): boolean {
  return kind === "tool" || kind === "subagent" || agent !== "";
}

/** A night between two prompts is shortened to this. */
const LONGEST_GAP_MS = 20_000;

/** When each entry happens in a replay, in milliseconds from its start. */
export function replayTimes(entries: readonly Entry[]): number[] {
  let clock = 0;
  let last = entries[0]?.at ?? 0;
  return entries.map(({ at }) => {
    // Items of parallel subagents are not in the order of time; the clock never runs backwards.
    clock += Math.min(LONGEST_GAP_MS, Math.max(0, at - last));
    last = Math.max(last, at);
    return clock;
  });
}

/** How many entries have happened by then. */
export function countUntil(times: readonly number[], clock: number): number {
  return times.findLastIndex((time) => time <= clock) + 1;
}

/** The height of an entry that was not rendered yet, for a text about 700 px wide. */
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
