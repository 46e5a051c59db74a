// Edit distance between words: insertions, deletions, changes, and swaps of adjacent letters.

/** Stops early if the distance is above `max`, and returns some number above `max`. */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (previous[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (older[j - 2] ?? Infinity) + 1 : Infinity;
      current.push(Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, changed, swapped));
    }
    if (Math.min(...current) > max) return max + 1;
    older = previous;
    previous = current;
  }
  return previous[b.length] ?? max + 1;
}

const MIN_TYPO_CHARS = 4;
/** Two edits in a shorter word often make another word. */
const TWO_EDITS_CHARS = 10;

/** Edits that make the word from a mistyped one; Infinity if it is a different word: "vacation", "action". */
export function typoEdits(typed: string, word: string): number {
  if (typed.length < MIN_TYPO_CHARS || typed[0] !== word[0]) return Infinity;
  const max = typed.length >= TWO_EDITS_CHARS ? 2 : 1;
  const edits = editDistance(typed, word, max);
  return edits <= max ? edits : Infinity;
}

/** The closest word, ignoring case; undefined if more than two letters differ, or more than a third. */
export function nearestWord<T extends string>(name: string, words: readonly T[]): T | undefined {
  const max = Math.min(2, Math.floor(name.length / 3));
  const near = words.map((word) => ({ word, distance: editDistance(name.toLowerCase(), word.toLowerCase(), max) }));
  return near.filter(({ distance }) => distance <= max).toSorted((a, b) => a.distance - b.distance)[0]?.word;
}
