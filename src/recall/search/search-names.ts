// Finds sessions by what they are called: their title, the one their agent gave them, their branch.
import { editDistance } from "../../core/edit-distance.ts";
import { prepareQuery } from "../../core/query.ts";
import { partsOf, wordsOf } from "../../core/words.ts";
import type { Db } from "../../store/db/driver.ts";
import type { Scope } from "../../store/reads/scope.ts";
import { type SessionName, sessionNames } from "../../store/reads/session-list.ts";
import type { Searched } from "./gather.ts";
import type { Rung, SearchAnswer } from "./search.ts";
import { stemOf } from "./snippet.ts";

interface Named {
  id: number;
  /** As it is written, and its words as they are compared. */
  text: string;
  words: Set<string>;
}

/** Names are few and short: those that have a part of a word in them are compared one by one. */
const MAX_NAMES = 5_000;
/** Where none has, somebody has mistyped: the newest are compared letter by letter. */
const MAX_GUESSED = 2_000;

/** The same rungs as for what was said. */
export function searchNames(db: Db, text: string, options: { scope: Scope; limit: number }): SearchAnswer {
  const { scope, limit } = options;
  const query = prepareQuery(text);
  const asked = query.words.map(comparable);
  const phrases = query.phrases.map((phrase) => phrase.join(" ").toLowerCase());
  const names = sessionNames(db, scope, { parts: asked, limit: MAX_NAMES }).map(toNamed);
  const quoting = names.filter((name) => phrases.every((phrase) => name.text.includes(phrase)));
  const rungs: { rung: Rung; among: () => Named[]; fits: (word: string, own: string) => boolean }[] = [
    { rung: "phrase", among: () => (phrases.length > 0 ? quoting : []), fits: (word, own) => word === own },
    { rung: "words", among: () => names, fits: (word, own) => word === own },
    { rung: "prefix", among: () => names, fits: (word, own) => own.startsWith(word) },
    { rung: "typo", among: () => sessionNames(db, scope, { limit: MAX_GUESSED }).map(toNamed), fits: isTypo },
  ];
  const searched: Searched[] = [{ lane: "names", words: query.words }];
  for (const { rung, among, fits } of rungs) {
    const hits = rank(among(), asked, fits).slice(0, limit);
    if (hits.length > 0) return { hits, rung, words: query.words, searched };
  }
  return { hits: [], rung: "words", words: query.words, searched };
}

export function nameText({ title, subtitle, git_branch: branch }: Omit<SessionName, "id">): string {
  return [title, subtitle, branch].filter(Boolean).join(" · ");
}

function toNamed(name: SessionName): Named {
  const text = nameText(name);
  const written = wordsOf(text);
  const words = [...written, ...written.flatMap(partsOf)].map(comparable);
  return { id: name.id, text: written.join(" ").toLowerCase(), words: new Set(words) };
}

/** "invoice" as well as "invoices". */
function comparable(word: string): string {
  return stemOf(word).replace(/(?<=.{3})e$/, "");
}

/** A word that few names have says more. Names come newest first, and stay so where they fit as well. */
function rank(names: readonly Named[], asked: readonly string[], fits: (word: string, own: string) => boolean) {
  const scores = new Map<number, number>();
  for (const word of asked) {
    const found = names.filter((name) => name.words.has(word) || [...name.words].some((own) => fits(word, own)));
    const rarity = Math.log(1 + names.length / (found.length + 0.5));
    for (const { id } of found) scores.set(id, (scores.get(id) ?? 0) + rarity);
  }
  return [...scores]
    .sort(([, a], [, b]) => b - a)
    .map(([session, score]) => ({ session, score, turns: [], files: [] }));
}

function isTypo(word: string, own: string): boolean {
  const maxEdits = word.length > 7 ? 2 : 1;
  return word.length >= 4 && editDistance(word, own, maxEdits) <= maxEdits;
}
