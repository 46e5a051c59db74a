// Finds the lines that two versions of a text have in common, as `diff` does: unique lines are anchors, and only small
// gaps between them are compared line by line.

/** Larger gaps without a unique line in common count as changed as a whole. */
const MAX_CELLS = 400_000;

/**
 * For each line of `now` its index in `old`, or -1 for a line that is new. The indexes found are increasing. If lines
 * are inserted between equal ones ("}", ""), several matches are as good: `first` says which end is matched first.
 */
export function matchLines(
  old: readonly string[],
  now: readonly string[],
  { first = "start" }: { first?: "start" | "end" } = {},
): Int32Array {
  const found = new Int32Array(now.length).fill(-1);
  const gaps: Gap[] = [{ oldFrom: 0, oldTo: old.length, nowFrom: 0, nowTo: now.length }];
  for (let gap = gaps.pop(); gap !== undefined; gap = gaps.pop()) {
    const inner = withoutEqualEnds(old, now, { ...gap, first }, found);
    if (inner.oldFrom === inner.oldTo || inner.nowFrom === inner.nowTo) continue;
    const anchors = uniqueAnchors(old, now, inner);
    if (anchors.length === 0) {
      compareAll(old, now, inner, found);
      continue;
    }
    let { oldFrom, nowFrom } = inner;
    for (const [oldAt, nowAt] of anchors) {
      found[nowAt] = oldAt;
      gaps.push({ oldFrom, oldTo: oldAt, nowFrom, nowTo: nowAt });
      oldFrom = oldAt + 1;
      nowFrom = nowAt + 1;
    }
    gaps.push({ oldFrom, oldTo: inner.oldTo, nowFrom, nowTo: inner.nowTo });
  }
  return found;
}

interface Gap {
  oldFrom: number;
  oldTo: number;
  nowFrom: number;
  nowTo: number;
}

function withoutEqualEnds(
  old: readonly string[],
  now: readonly string[],
  gap: Gap & { first: "start" | "end" },
  found: Int32Array,
): Gap {
  let { oldFrom, oldTo, nowFrom, nowTo } = gap;
  const matchStart = (): void => {
    while (oldFrom < oldTo && nowFrom < nowTo && old[oldFrom] === now[nowFrom]) found[nowFrom++] = oldFrom++;
  };
  const matchEnd = (): void => {
    while (oldFrom < oldTo && nowFrom < nowTo && old[oldTo - 1] === now[nowTo - 1]) found[--nowTo] = --oldTo;
  };
  if (gap.first === "start") matchStart();
  matchEnd();
  matchStart();
  return { oldFrom, oldTo, nowFrom, nowTo };
}

/** [index in old, index in now] of lines that occur once in both: the longest series that increases in both. */
function uniqueAnchors(old: readonly string[], now: readonly string[], gap: Gap): [number, number][] {
  const inOld = uniqueIndexes(old, gap.oldFrom, gap.oldTo);
  const inNow = uniqueIndexes(now, gap.nowFrom, gap.nowTo);
  const pairs: [number, number][] = [];
  for (const [text, nowAt] of inNow) {
    const oldAt = nowAt < 0 ? undefined : inOld.get(text);
    if (oldAt !== undefined && oldAt >= 0) pairs.push([oldAt, nowAt]);
  }
  return longestIncreasing(pairs.sort((a, b) => a[1] - b[1]));
}

/** -1 for a line that occurs more than once. */
function uniqueIndexes(lines: readonly string[], from: number, to: number): Map<string, number> {
  const indexes = new Map<string, number>();
  for (let at = from; at < to; at++) {
    const text = lines[at] ?? "";
    indexes.set(text, indexes.has(text) ? -1 : at);
  }
  return indexes;
}

function longestIncreasing(pairs: readonly [number, number][]): [number, number][] {
  /** The index of the pair that ends the best series of each length. */
  const ends: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  for (const [index, [oldAt]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[0] ?? 0) < oldAt) low = middle + 1;
      else high = middle;
    }
    before[index] = low > 0 ? (ends[low - 1] ?? -1) : -1;
    ends[low] = index;
  }
  const series: [number, number][] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) series.push(pair);
  }
  return series.toReversed();
}

/** The longest common subsequence of a small gap. */
function compareAll(old: readonly string[], now: readonly string[], gap: Gap, found: Int32Array): void {
  const rows = gap.oldTo - gap.oldFrom;
  const columns = gap.nowTo - gap.nowFrom;
  if (rows * columns > MAX_CELLS) return;
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      lengths[row * width + column] =
        old[gap.oldFrom + row] === now[gap.nowFrom + column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  for (let row = 0, column = 0; row < rows && column < columns;) {
    if (old[gap.oldFrom + row] === now[gap.nowFrom + column]) found[gap.nowFrom + column++] = gap.oldFrom + row++;
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
}

/** As `git blame -w` compares lines. */
export function withoutBlanks(lines: readonly string[]): string[] {
  return lines.map((line) => line.replaceAll(/\s+/g, ""));
}
