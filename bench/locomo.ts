// LoCoMo: questions about long conversations, and the sessions and turns that hold the answer. Retrieval only, no model answers.
//   any@k   share of questions with at least one of their sessions among the first k
//   all@k   share of questions with every one of them there
//   frac@k  mean share of a question's sessions there; T@k the same for turns
import { searchSessions } from "../src/recall/search/search.ts";
import type { Db } from "../src/store/db/driver.ts";
import type { SemanticQuery } from "../src/recall/search/semantic.ts";
import { embedStore, type Lanes, laneSettings } from "./lanes.ts";
import { openLocomo, type Question } from "./locomo-store.ts";
import { searchTurns } from "./search-turns.ts";

export async function benchLocomo(): Promise<void> {
  const store = openLocomo();
  if (store === undefined) {
    console.log("locomo: skipped, no conversations (C_MEM_LOCOMO)");
    return;
  }
  console.log(`LoCoMo, ${store.questions.length} questions (wanted: any@5 at least 93, any@1 72, T@10 75)`);
  const ask = await embedStore(store.db, store.home);
  const meanings: (SemanticQuery | undefined)[] = [];
  for (const { text, project } of store.questions) meanings.push(await ask?.(text, project));
  console.log(`  ${"".padEnd(14)}  any@1  any@5  all@5 frac@5    T@5   T@10`);
  for (const lanes of laneSettings(ask !== undefined)) report(store.db, lanes, store.questions, meanings);
  store.close();
}

function report(
  db: Db,
  { name, without }: Lanes,
  questions: Question[],
  meanings: (SemanticQuery | undefined)[],
): void {
  const sums = [0, 0, 0, 0, 0, 0];
  for (const [index, { text, project, sessions, turns }] of questions.entries()) {
    const options = { limit: 10, project, meaning: meanings[index], without };
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
