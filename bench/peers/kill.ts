// Sends a burst of hook events and kills the tool's processes in the middle of it, then counts the events it still has.
import { runHooks } from "./hook-runner.ts";
import type { Runner } from "./hooks.ts";
import { bashUse, payloadOf } from "./payloads.ts";
import { killAllIn, wait } from "./place.ts";
import { countStored } from "./stored-text.ts";

const EVENTS = 200;
const AT_ONCE = 4;
/** Before these events, everything of the tool is killed. */
const KILL_AT = new Set([50, 100, 150]);
const SETTLE_MS = 90_000;

export interface Burst {
  sent: number;
  /** Hooks that ended with exit 0. */
  acknowledged: number;
  /** Acknowledged events whose text the tool has at the end. */
  kept: number;
  killed: number;
}

export async function measureBurst({ contestant, place }: Runner, withKills: boolean): Promise<Burst | undefined> {
  const file = contestant.hooks?.(place);
  if (file === undefined) return undefined;
  const session = "22222222-3333-4444-8555-666666666666";
  await runHooks(place, file, payloadOf("SessionStart", place, session));
  await runHooks(
    place,
    file,
    payloadOf("UserPromptSubmit", place, session, { prompt: "Run all the steps of the build" }),
  );
  const acknowledged: string[] = [];
  let killed = 0;
  const waiting = Array.from({ length: EVENTS }, (_, index) => index);
  const sendNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (withKills && KILL_AT.has(next)) killed += killAllIn(place.home);
      const word = wordOf(next);
      const output = `${word}: the step ended with exit code 0 after ${next} tests in src/step-${next}.ts\n`.repeat(6);
      const { isAcknowledged } = await runHooks(place, file, bashUse(place, session, `npm run ${word}`, output));
      if (isAcknowledged) acknowledged.push(word);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendNext));
  // The next session gives the tool the chance to recover.
  await runHooks(place, file, payloadOf("SessionStart", place, "33333333-4444-4555-8666-777777777777"));
  await contestant.settle?.(place);
  return { sent: EVENTS, acknowledged: acknowledged.length, kept: await whenStable(place.home, acknowledged), killed };
}

const wordOf = (index: number): string => `evt${String(index).padStart(4, "0")}qzx`;

/** Tools may store in the background: waits until the count has not changed for five seconds. */
async function whenStable(home: string, words: readonly string[]): Promise<number> {
  let count = countStored(home, words);
  let since = Date.now();
  for (const end = Date.now() + SETTLE_MS; Date.now() < end && Date.now() - since < 5_000 && count < words.length;) {
    await wait(1_000);
    const now = countStored(home, words);
    if (now !== count) since = Date.now();
    count = now;
  }
  return count;
}
