// Measures how many planted credentials and how many near-misses the filter redacts.
import { filterText } from "../../src/core/privacy/filter.ts";
import { KINDS } from "./kinds.ts";
import { NEAR_MISSES } from "./near-misses.ts";
import { seeded } from "./random.ts";
import { SCENES } from "./scenes.ts";
import { SURROUNDINGS } from "./surroundings.ts";

export interface Figures {
  kinds: number;
  planted: number;
  /** Missed credentials, by kind and surrounding. */
  missed: string[];
  nearMisses: number;
  /** Near-misses that were changed. */
  falseAlarms: string[];
}

/** A lower recall fails the test. */
export const FLOOR = { recall: 0.997 } as const;

export function describeFigures({ kinds, planted, missed, nearMisses, falseAlarms }: Figures): string {
  const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)}%`;
  return (
    `Secrets: ${kinds} kinds, ${planted} planted, ${planted - missed.length} redacted (${percent(planted - missed.length, planted)}), ` +
    `${missed.length} missed; ${nearMisses} near-misses, ${falseAlarms.length} of them changed (${percent(falseAlarms.length, nearMisses)})`
  );
}

/** This many consecutive characters of a credential count as a leak. */
const PART_CHARS = 9;
/** The limit for captured texts. */
export const MAX_CHARS = 20_000;

export function measure(rounds: number): Figures {
  const missed: string[] = [];
  const falseAlarms: string[] = [];
  let planted = 0;
  let nearMisses = 0;
  const plant = (name: string, text: string, spelled: readonly string[]): void => {
    planted += 1;
    if (isLeaked(spelled, filterText(text, MAX_CHARS))) missed.push(name);
  };
  for (let round = 0; round < rounds; round++) {
    const random = seeded(round + 1);
    for (const kind of KINDS) {
      for (const surrounding of SURROUNDINGS) {
        if (kind.isNamed && surrounding.isNameless) continue;
        const secret = kind.make(random);
        const spelled = surrounding.spelled?.(secret) ?? [secret, JSON.stringify(secret).slice(1, -1)];
        plant(`${kind.name} in ${surrounding.name}`, surrounding.render(kind.key, secret, random), spelled);
      }
    }
    for (const { name, make } of SCENES) {
      const { text, secrets } = make(random);
      plant(name, text, secrets);
    }
    for (const { name, make } of NEAR_MISSES) {
      const text = make(random);
      nearMisses += 1;
      if (filterText(text, MAX_CHARS) !== text) falseAlarms.push(name);
    }
  }
  return { kinds: KINDS.length + SCENES.length, planted, missed, nearMisses, falseAlarms };
}

export function isLeaked(secrets: readonly string[], text: string): boolean {
  return secrets.some((secret) => {
    if (secret.length <= PART_CHARS) return text.includes(secret);
    const last = secret.length - PART_CHARS;
    for (let place = 0; place <= last; place++) {
      if (text.includes(secret.slice(place, place + PART_CHARS))) return true;
    }
    return false;
  });
}
