// Measures the extractor on real sessions: its speed, how much it derives, and the share of words in a model's
// description of a session that the derived memory has, too.
import { createHash } from "node:crypto";
import { STOP_WORDS, wordsOf } from "../src/core/words.ts";
import { deriveSession } from "../src/memory/derive.ts";
import { extractTurn } from "../src/memory/extract/extract-turn.ts";
import type { Db } from "../src/store/db/driver.ts";
import { observationOf, observationsOfSession } from "../src/store/tables/observations.ts";
import { staleSessions } from "../src/store/tables/stale-turns.ts";
import { currentSummaries, summariesOfTurn, summaryOf, WHOLE_SESSION } from "../src/store/tables/summaries.ts";
import { loadTurnEvidence, type TurnEvidence } from "../src/store/reads/turn-evidence.ts";
import { cpuMs, fastest, percent } from "./measure.ts";
import { readQueries, type RealStore, withRealSessions } from "./real-sessions.ts";

const EXAMPLES = 3;
const ROUNDS = 5;
/** Kinds of descriptions in the test data, written by a model. */
const TASKS = ["intent", "learning", "friction"];

export const benchMemory = ({ examples }: { examples: boolean }): Promise<void> =>
  withRealSessions("memory", (real) => measure(real, examples));

function measure({ db, repos }: RealStore, examples: boolean): void {
  const evidence = allEvidence(db);
  for (const { id } of staleSessions(db)) deriveSession(db, id, Date.now());
  if (examples) printExamples(db, [...repos.keys()]);
  else {
    speed(evidence);
    amounts(evidence);
    coverage(db, repos);
  }
}

function allEvidence(db: Db): TurnEvidence[] {
  return db
    .all<{ session: number; number: number }>(
      "SELECT session_db_id AS session, prompt_number AS number FROM prompts ORDER BY id",
    )
    .map(({ session, number }) => loadTurnEvidence(db, session, number))
    .filter((turn) => turn !== undefined);
}

/** Prints the CPU time as a ratio to JSON.parse of the same evidence. */
function speed(evidence: readonly TurnEvidence[]): void {
  const texts = evidence.map((turn) => JSON.stringify(turn));
  const parse = fastest(ROUNDS, () => cpuMs(() => texts.forEach((text) => JSON.parse(text))));
  const extract = fastest(ROUNDS, () => cpuMs(() => evidence.forEach((turn) => extractTurn(turn))));
  const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1e6;
  console.log(
    `Extracting memory from ${evidence.length} turns, ${megabytes.toFixed(0)} MB of evidence (Node ${process.versions.node})`,
  );
  console.log(`  JSON.parse of the evidence   1.00`);
  console.log(
    `  the extractor                ${(extract / parse).toFixed(2)}   ${Math.round((evidence.length / extract) * 1000)} turns/s`,
  );
}

function amounts(evidence: readonly TurnEvidence[]): void {
  const memories = evidence.map((turn) => extractTurn(turn));
  const observations = memories.flatMap((memory) => memory.observations);
  const types = [...Map.groupBy(observations, ({ type }) => type)].sort((a, b) => b[1].length - a[1].length);
  const none = memories.filter((memory) => memory.observations.length === 0).length;
  console.log(
    `  observations per turn        ${(observations.length / evidence.length).toFixed(2)}; none for ${percent(none, evidence.length, 0)} of the turns`,
  );
  console.log(
    `  by type                      ${types.map(([type, list]) => `${type} ${percent(list.length, observations.length, 0)}`).join(", ")}`,
  );
  const titles = [...Map.groupBy(observations, ({ title }) => title)]
    .sort((a, b) => b[1].length - a[1].length)
    .slice(0, 3);
  console.log(
    `  most frequent titles         ${titles.map(([title, list]) => `${list.length} × ${title}`).join("; ")}`,
  );
}

/** Prints the share of a description's words in the session's memory and, for comparison, in that of other sessions. */
function coverage(db: Db, repos: ReadonlyMap<string, string>): void {
  const memories = new Map([...repos.keys()].map((id) => [id, memoryWords(db, id)]));
  console.log("  a description's words found in the memory of its session (of the project's other sessions)");
  for (const task of TASKS) {
    const shares: [number, number][] = readQueries()
      .filter((query) => query.task === task)
      .map(({ query, gold, repo }) => {
        const own = Math.max(...gold.map((id) => shareIn(query, memories.get(id))));
        const others = [...repos]
          .filter(([id, name]) => name === repo && !gold.includes(id))
          .map(([id]) => shareIn(query, memories.get(id)));
        return [own, others.reduce((sum, one) => sum + one, 0) / Math.max(1, others.length)];
      });
    const mean = (column: 0 | 1): string =>
      percent(
        shares.reduce((sum, row) => sum + row[column], 0),
        shares.length,
        0,
      );
    console.log(`    ${task.padEnd(26)} ${mean(0)} (${mean(1)})   of ${shares.length}`);
  }
}

function memoryWords(db: Db, sessionId: string): Set<string> {
  const row = db.get<{ id: number }>("SELECT id FROM sessions WHERE session_id = ?", sessionId);
  if (row === undefined) return new Set();
  const texts = observationsOfSession(db, row.id).flatMap((one) => {
    const { title, narrative, facts, files } = observationOf(one);
    return [title, narrative, ...facts, ...files];
  });
  const summaries = currentSummaries(db, row.id).flatMap((one) => {
    const { request, learned, completed, nextSteps, notes } = summaryOf(one);
    return [request, learned, completed, nextSteps, notes];
  });
  return new Set([...texts, ...summaries].flatMap((text) => stems(text)));
}

function shareIn(text: string, memory: ReadonlySet<string> | undefined): number {
  const words = [...new Set(stems(text))];
  return words.filter((word) => memory?.has(word)).length / Math.max(1, words.length);
}

/** Lower-case words without common endings. This is crude, but description and memory are treated alike. */
function stems(text: string): string[] {
  return wordsOf(text)
    .map((word) => word.toLowerCase())
    .filter((word) => !STOP_WORDS.has(word))
    .map((word) => word.replace(/(?:ing|ed|es|s)$/, ""));
}

/** Prints sessions with tool uses, chosen by the hash of their ids so that the choice is not biased. */
function printExamples(db: Db, ids: readonly string[]): void {
  const hash = (id: string): string => createHash("sha256").update(id).digest("hex");
  const chosen = ids.toSorted((a, b) => (hash(a) < hash(b) ? -1 : 1));
  let printed = 0;
  for (const id of chosen) {
    const session = db.get<{ id: number; title: string; subtitle: string | null; uses: number }>(
      `SELECT s.id, s.title, s.subtitle, (SELECT count(*) FROM tool_uses t WHERE t.session_db_id = s.id) AS uses
       FROM sessions s WHERE s.session_id = ?`,
      id,
    );
    if (session === undefined || session.uses === 0 || printed === EXAMPLES) continue;
    printed += 1;
    console.log(`\n${"=".repeat(100)}\n${session.title}\n${session.subtitle ?? ""}\n${id}`);
    for (const row of observationsOfSession(db, session.id)) {
      const one = observationOf(row);
      console.log(
        `\n[${one.type}] ${one.title}   (turn ${row.prompt_number}, ${one.evidence.join(" ")}, from the ${one.origin})`,
      );
      console.log(`    ${one.narrative}`);
      for (const fact of one.facts) console.log(`    - ${fact}`);
      if (one.files.length > 0) console.log(`    files: ${one.files.join(", ")}`);
    }
    const [whole] = summariesOfTurn(db, session.id, WHOLE_SESSION);
    if (whole !== undefined) console.log(`\n${JSON.stringify(summaryOf(whole), null, 2)}`);
  }
}
