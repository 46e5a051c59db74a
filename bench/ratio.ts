// Times things in turn and prints each as a ratio to the first: the machine's moods hit all of them alike.

export interface Sample {
  name: string;
  /** Not timed. */
  before?: () => void;
  run: () => void;
}

export function ratios(samples: readonly Sample[], rounds: number): void {
  const times = samples.map(() => [] as number[]);
  for (let round = -1; round < rounds; round++) {
    for (const [index, sample] of samples.entries()) {
      sample.before?.();
      const start = process.hrtime.bigint();
      sample.run();
      const elapsed = Number(process.hrtime.bigint() - start) / 1e6;
      // The first round warms the caches.
      if (round >= 0) times[index]?.push(elapsed);
    }
  }
  const medians = times.map(median);
  const lows = times.map((list) => Math.min(...list));
  const width = Math.max(...samples.map((sample) => sample.name.length));
  for (const [index, sample] of samples.entries()) {
    const ratio = (value: number[]) => ((value[index] ?? 0) / (value[0] ?? 1)).toFixed(2);
    const ms = (medians[index] ?? 0).toFixed(1);
    console.log(`  ${sample.name.padEnd(width)}  ${ratio(medians)} (of the fastest: ${ratio(lows)})  ${ms} ms`);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
