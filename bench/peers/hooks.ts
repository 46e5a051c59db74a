// Measures hooks against a bare start of the same Node, in turn, so that a busy machine slows down all of them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "../measure.ts";
import type { Contestant } from "./contestant.ts";
import { isAsync, runHooks } from "./hook-runner.ts";
import { type HookEvent, type Payload, payloadOf } from "./payloads.ts";
import { type Place, run, wait } from "./place.ts";

const EVENTS = ["SessionStart", "UserPromptSubmit", "PostToolUse"] as const satisfies HookEvent[];

/** The background work of one hook should not slow down the next one. */
const PAUSE_MS = 200;

export interface HookTimes {
  event: HookEvent;
  ms: number;
  ratio: number;
  /** Of the fastest runs. */
  fastestRatio: number;
  /** The agent goes on while these hooks run. */
  isAsync: boolean;
  failed: number;
}

export interface Runner {
  contestant: Contestant;
  place: Place;
}

/** By tool. */
export async function measureHooks(runners: readonly Runner[], rounds: number): Promise<Map<string, HookTimes[]>> {
  const [first] = runners;
  if (first === undefined) return new Map();
  const empty = join(first.place.home, "empty.cjs");
  writeFileSync(empty, "");
  const bare: number[] = [];
  const cases = runners.flatMap(({ contestant, place }) => {
    const file = contestant.hooks?.(place);
    return file === undefined
      ? []
      : EVENTS.map((event) => ({ contestant, place, file, event, times: [] as number[], failed: 0 }));
  });
  // The first two rounds start background processes and fill caches.
  for (let round = -2; round < rounds; round++) {
    await wait(PAUSE_MS);
    const { ms } = await run(first.place, "node", [empty], { timeoutMs: 10_000 });
    if (round >= 0) bare.push(ms);
    for (const one of cases) {
      await wait(PAUSE_MS);
      const { ms: time, isAcknowledged } = await runHooks(one.place, one.file, payload(one.event, one.place, round));
      if (round >= 0) one.times.push(time);
      if (!isAcknowledged) one.failed += 1;
    }
  }
  const base = median(bare);
  const rows = Map.groupBy(cases, ({ contestant }) => contestant.name);
  return new Map(
    [...rows].map(([name, list]) => [
      name,
      list.map(({ event, file, place, times, failed }) => ({
        event,
        ms: median(times),
        ratio: median(times) / base,
        fastestRatio: Math.min(...times) / Math.min(...bare),
        isAsync: isAsync(file, payload(event, place, 0)),
        failed,
      })),
    ]),
  );
}

/** All events of a round are of one session, of which there are three. */
function payload(event: HookEvent, place: Place, round: number): Payload {
  return payloadOf(event, place, `hooks-${Math.abs(round) % 3}`);
}
