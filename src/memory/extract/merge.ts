// Near-duplicates of one turn become one; the most telling come first, and only so many are kept.
import type { Observation } from "../../core/memory.ts";
import { ALIKE, likeness } from "../../core/similarity.ts";

const MAX_PER_TURN = 4;
const MAX_FACTS = 8;
const SAME = 0.9;

/** In order of importance: what comes first gives the words. */
export function mergeAlike(observations: readonly Observation[]): Observation[] {
  const merged: Observation[] = [];
  for (const one of observations) {
    const index = merged.findIndex((other) => areAlike(other, one));
    if (index < 0) merged.push(one);
    else merged[index] = join(merged[index] as Observation, one);
  }
  return merged.slice(0, MAX_PER_TURN);
}

function areAlike(a: Observation, b: Observation): boolean {
  if (a.subject !== undefined && a.subject === b.subject) return true;
  // Two subjects are two things, however alike their words: one may be replaced without the other.
  if (a.subject !== undefined && b.subject !== undefined) return false;
  // An error that was mended says more than that something was: only the very same words are one.
  const isHalf = (a.subject === undefined) !== (b.subject === undefined);
  return likeness(a.title, b.title) >= (isHalf ? SAME : ALIKE) || likeness(a.title, b.narrative) >= SAME;
}

function join(a: Observation, b: Observation): Observation {
  const union = (x: readonly string[], y: readonly string[]): string[] => [...new Set([...x, ...y])];
  const extra = likeness(b.narrative, a.narrative) < ALIKE ? [b.narrative] : [];
  const subject = a.subject ?? b.subject;
  return {
    ...a,
    facts: union([...a.facts, ...extra], b.facts).slice(0, MAX_FACTS),
    concepts: [...new Set([...a.concepts, ...b.concepts])],
    files: union(a.files, b.files),
    evidence: union(a.evidence, b.evidence),
    ...(subject !== undefined && { subject }),
  };
}
