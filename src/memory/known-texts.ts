// Compares a new observation with the known ones: is it one of them, nearly one, or a newer version of a decision?
import { claimsOf, doClaimsConflict } from "../core/claims.ts";
import type { Observation } from "../core/memory.ts";
import { informativeWords, wordOverlap } from "../core/similarity.ts";
import { contentWords, plainWords } from "../core/words.ts";
import type { CurrentText } from "../store/tables/observation-edits.ts";
import { contentHash } from "../store/tables/observations.ts";

export interface Alike {
  id: number;
  title: string;
  /** True: nearly the same words. False: a decision on the same subject, which the new one may contradict. */
  isSame: boolean;
}

/** Two observations are nearly the same if they share 80% of the shorter one's words. */
const NEARLY_SAME = 0.8;
/** "Use npm for packages" and "Use pnpm for packages" share one of two words. */
const SAME_SUBJECT = 0.5;
const MAX_ALIKE = 3;

/** The observation with the same text, whatever its type, title and case. Its facts must include the new reason. */
export function findSameText(current: readonly CurrentText[], observation: Observation): CurrentText | undefined {
  const hash = contentHash(observation);
  const words = plainWords(observation.narrative);
  const reasons = observation.facts.map(plainWords);
  const hasReasons = ({ facts }: CurrentText): boolean =>
    reasons.every((reason) => (JSON.parse(facts) as string[]).some((fact) => plainWords(fact) === reason));
  return (
    current.find((row) => row.content_hash === hash) ??
    current.find((row) => words.trim() !== "" && plainWords(row.narrative) === words && hasReasons(row))
  );
}

/** Words that turn a sentence round: "use npm", "do not use npm", "use npm only for packages". */
const TURNING =
  /\b(?:not|no|never|don|dont|without|stop|avoid|except|unless|only|instead|nicht|kein\w*|nie|niemals|ohne|nur|pas|jamais|sans|sauf|nunca|sin|não|не|нет)\b|n['’]t\b/giu;
const MIN_KNOWN_WORDS = 0.7;

/** True if a known text says all that the new one does: "chunks of 8 MB" is not known by "chunks of 4 MB". */
export function isKnownText(text: string, known: string): boolean {
  const turning = (one: string): string => [...new Set(one.toLowerCase().match(TURNING))].toSorted().join(" ");
  const [words, knownWords] = [informativeWords(text), informativeWords(known)];
  const shared = [...words].filter((word) => knownWords.has(word)).length;
  const numbers = new Set(known.match(/\d+/g));
  return (
    words.size > 0 &&
    shared >= words.size * MIN_KNOWN_WORDS &&
    [...(text.match(/\d+/g) ?? [])].every((number) => numbers.has(number)) &&
    turning(text) === turning(known) &&
    !doClaimsConflict(claimsOf(text), claimsOf(known))
  );
}

/** Nearly the same ones first, then decisions on the same subject. */
export function findAlike(current: readonly CurrentText[], observation: Observation): Alike[] {
  const text = `${observation.title}\n${observation.narrative}`;
  const isDecision = observation.type === "decision";
  const claims = isDecision ? claimsOf(text) : [];
  const alike = current.flatMap((row): Alike[] => {
    const { id, title, type } = row;
    const other = `${title}\n${row.narrative}`;
    if (wordOverlap(text, other) >= NEARLY_SAME) return [{ id, title, isSame: true }];
    if (!isDecision || type !== "decision") return [];
    const isAbout =
      sharedSubject(observation.title, title) >= SAME_SUBJECT || doClaimsConflict(claims, claimsOf(other));
    return isAbout ? [{ id, title, isSame: false }] : [];
  });
  return alike.toSorted((a, b) => Number(b.isSame) - Number(a.isSame)).slice(0, MAX_ALIKE);
}

function sharedSubject(a: string, b: string): number {
  const [one, other] = [contentWords(a), contentWords(b)];
  const shorter = Math.min(one.size, other.size);
  return shorter < 2 ? 0 : [...one].filter((word) => other.has(word)).length / shorter;
}
