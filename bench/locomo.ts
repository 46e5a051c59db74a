// Measures search on LoCoMo: questions about long conversations, with the sessions and turns that have the answer.
//   any@k   share of questions with at least one of their sessions among the first k
//   all@k   share of questions with all of their sessions among the first k
//   frac@k  mean share of a question's sessions among the first k
//   T@k     mean share of a question's turns among the first k
import { findHits, searchSessions, type SearchOptions } from "../src/recall/search/search.ts";
import type { TurnHit } from "../src/recall/search/session-hits.ts";
import type { Db } from "../src/store/db/driver.ts";
import type { SemanticQuery } from "../src/recall/search/semantic.ts";
import { embedQueries, type IndexSet } from "./indexes.ts";
import { openLocomo, type Question } from "./locomo-store.ts";

export async function benchLocomo(): Promise<void> {
  const store = openLocomo();
  if (store === undefined) {
    console.log("locomo: skipped, no conversations (C_MEM_LOCOMO)");
    return;
  }
  console.log(`LoCoMo, ${store.questions.length} questions in percent (targets: any@1 72, any@5 93, T@10 75)`);
  const { indexSets, vectors } = await embedQueries(store.db, store.home, store.questions);
  console.log(
    "  any, all, frac: at least one, all, mean share of the sessions; T: mean share of the turns; @k: in the first k",
  );
  console.log(`  ${"".padEnd(14)}  any@1  any@5  all@5 frac@5    T@5   T@10`);
  for (const set of indexSets) report(store.db, set, store.questions, vectors);
  store.close();
}

function report(
  db: Db,
  { name, without }: IndexSet,
  questions: Question[],
  vectors: (SemanticQuery | undefined)[],
): void {
  const sums = [0, 0, 0, 0, 0, 0];
  for (const [index, { text, project, sessions, turns }] of questions.entries()) {
    const options = { limit: 10, project, meaning: vectors[index], without };
    const found = searchSessions(db, text, options).hits.map((hit) => hit.session);
    const places = searchTurns(db, text, options).map((turn) => `${turn.session}/${turn.promptNumber}`);
    const five = share(sessions, found.slice(0, 5));
    const scores = [
      Number(share(sessions, found.slice(0, 1)) > 0),
      Number(five > 0),
      Number(five === 1),
      five,
      share(turns, places.slice(0, 5)),
      share(turns, places.slice(0, 10)),
    ];
    for (const [column, score] of scores.entries()) sums[column] = (sums[column] ?? 0) + score;
  }
  const row = sums.map((sum) => ((100 * sum) / questions.length).toFixed(1).padStart(7)).join("");
  console.log(`  ${name.padEnd(14)}${row}`);
}

function share<T>(wanted: readonly T[], found: readonly T[]): number {
  return wanted.filter((each) => found.includes(each)).length / wanted.length;
}

/** An answer is often near its question: a turn also gets these shares of the scores of turns one and two away. */
const NEIGHBOUR_WEIGHTS = [0.3, 0.1];

/** Ranks single turns instead of sessions, without the index of thinking. */
function searchTurns(db: Db, text: string, options: SearchOptions): (TurnHit & { session: number })[] {
  const without = [...(options.without ?? []), "thinking" as const];
  const [found] = findHits(db, text, { ...options, without }).groups;
  return [...found]
    .flatMap(([session, { turns }]) => {
      const scoreAt = (promptNumber: number): number => turns.get(promptNumber)?.score ?? 0;
      return [...turns.values()].map((turn) => ({
        ...turn,
        session,
        score: NEIGHBOUR_WEIGHTS.reduce(
          (sum, weight, index) =>
            sum + weight * (scoreAt(turn.promptNumber - index - 1) + scoreAt(turn.promptNumber + index + 1)),
          turn.score,
        ),
      }));
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, options.limit);
}
