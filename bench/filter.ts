// Measures the time of the secrets filter against JSON.parse of the same lines, and how many generated secrets it
// finds.
import { filterText } from "../src/core/privacy/filter.ts";
import { describeFigures, measure } from "../test/secrets/measure.ts";
import { SCENES } from "../test/secrets/scenes.ts";
import { NEAR_MISSES } from "../test/secrets/near-misses.ts";
import { seeded } from "../test/secrets/random.ts";
import { cpuMs, fastest } from "./measure.ts";
import { readTranscriptLines } from "./real-sessions.ts";

const MAX_CHARS = 32_000;
const ROUNDS = 3;

export async function benchFilter(): Promise<void> {
  const real = readTranscriptLines();
  const lines = real.length > 0 ? real : generated();
  const texts = lines.flatMap((line) => textsOf(JSON.parse(line)));
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  let changed = 0;
  const parse = fastest(ROUNDS, () => cpuMs(() => lines.forEach((line) => JSON.parse(line))));
  const filter = fastest(ROUNDS, () =>
    cpuMs(() => {
      changed = texts.filter((text) => filterText(text, MAX_CHARS) !== text).length;
    }),
  );
  const rate = (ms: number) => `${(chars / 1000 / ms).toFixed(0)} MB/s`;
  console.log(`Filtering ${(chars / 1e6).toFixed(0)} MB of ${real.length > 0 ? "real" : "made-up"} text`);
  console.log(`  JSON.parse of its lines   1.00  ${rate(parse)}`);
  console.log(`  the filter                ${(filter / parse).toFixed(2)}  ${rate(filter)}, ${changed} texts changed`);
  console.log(`  ${describeFigures(measure(2))}`);
}

function generated(): string[] {
  const random = seeded(1);
  return Array.from({ length: 200 }, () => {
    const secrets = SCENES.map(({ make }) => make(random).text);
    return JSON.stringify([
      ...secrets,
      ...NEAR_MISSES.flatMap(({ make }) => Array.from({ length: 10 }, () => make(random))),
    ]);
  });
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
