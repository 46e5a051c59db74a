// Finds sessions by title, subtitle and branch.
import { typoEdits } from "../../core/edit-distance.ts";
import { prepareQuery } from "../../core/query.ts";
import { partsOf, wordsOf } from "../../core/words.ts";
import type { Db } from "../../store/db/driver.ts";
import type { Scope } from "../../store/reads/scope.ts";
import { type SessionName, sessionNames } from "../../store/reads/session-list.ts";
import type { SearchAnswer, SearchStep } from "./search.ts";
import type { RankedSession } from "./session-hits.ts";
import { stemOf } from "./snippet.ts";

/** SQL selects names that contain a stem of the query; at most this many are compared. */
const MAX_NAMES = 5_000;
/** If none matches, this many of the newest names are compared for typos. */
const MAX_TYPO_NAMES = 2_000;

export function searchNames(db: Db, text: string, { scope, limit }: { scope: Scope; limit: number }): SearchAnswer {
  const query = prepareQuery(text);
  const stems = query.words.map(nameStem);
  const phrases = query.phrases.map((phrase) => phrase.join(" ").toLowerCase());
  const names = sessionNames(db, scope, { parts: stems, limit: MAX_NAMES }).map(toName);
  const isEqual = (word: string, own: string): boolean => word === own;
  const withPhrases = names.filter((name) => phrases.every((phrase) => name.text.includes(phrase)));
  const steps: [SearchStep, () => Name[], (word: string, own: string) => boolean][] = [
    ["phrase", () => (phrases.length > 0 ? withPhrases : []), isEqual],
    ["words", () => names, isEqual],
    ["prefix", () => names, (word, own) => own.startsWith(word)],
    ["typo", () => sessionNames(db, scope, { limit: MAX_TYPO_NAMES }).map(toName), isTypo],
  ];
  const how = { words: query.words, searched: [{ lane: "names" as const, words: query.words }] };
  for (const [rung, namesOf, matches] of steps) {
    const hits = rank(namesOf(), stems, matches).slice(0, limit);
    if (hits.length > 0) return { hits, rung, ...how };
  }
  return { hits: [], rung: "words", ...how };
}

export function nameText({ title, subtitle, git_branch: branch }: Omit<SessionName, "id">): string {
  return [title, subtitle, branch].filter(Boolean).join(" · ");
}

type Name = ReturnType<typeof toName>;

/** `words` are stems. */
function toName(name: SessionName) {
  const written = wordsOf(nameText(name));
  const words = [...written, ...written.flatMap(partsOf)].map(nameStem);
  return { id: name.id, text: written.join(" ").toLowerCase(), words: new Set(words) };
}

/** "invoice" and "invoices" -> "invoic" */
function nameStem(word: string): string {
  return stemOf(word).replace(/(?<=.{3})e$/, "");
}

/** Words in fewer names count more. Names with equal scores stay newest first. */
function rank(
  names: readonly Name[],
  stems: readonly string[],
  matches: (word: string, own: string) => boolean,
): RankedSession[] {
  const scores = new Map<number, number>();
  for (const stem of stems) {
    const found = names.filter(({ words }) => words.has(stem) || [...words].some((own) => matches(stem, own)));
    const rarity = Math.log(1 + names.length / (found.length + 0.5));
    for (const { id } of found) scores.set(id, (scores.get(id) ?? 0) + rarity);
  }
  return [...scores]
    .sort(([, a], [, b]) => b - a)
    .map(([session, score]) => ({ session, score, turns: [], files: [] }));
}

function isTypo(word: string, own: string): boolean {
  return typoEdits(word, own) < Infinity;
}
