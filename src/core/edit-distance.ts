// How many letters somebody got wrong: inserted, left out, changed, or two neighbours swapped.

/** Stops counting beyond `max`: the answer is then some number above it. */
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

/** The word that was probably meant: at most two letters differ, and no more than a third of them. Ignores case. */
export function nearest<T extends string>(name: string, words: readonly T[]): T | undefined {
  const max = Math.min(2, Math.floor(name.length / 3));
  const near = words.map((word) => ({ word, distance: editDistance(name.toLowerCase(), word.toLowerCase(), max) }));
  return near.filter(({ distance }) => distance <= max).toSorted((a, b) => a.distance - b.distance)[0]?.word;
}
