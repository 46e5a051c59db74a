// Counts the tokens of a model's requests for sixty tool uses of 3 KB, through the real worker: events arrive at
// realistic times on a shifted clock, jobs run when they are due, and a scripted model counts what it receives.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeDrop } from "../src/capture/live/spool.ts";
import { resolvePaths } from "../src/config/paths.ts";
import type { Activity } from "../src/core/event.ts";
import { takeLock } from "../src/platform/take-lock.ts";
import { removeLock } from "../src/platform/worker-lock.ts";
import { withDriver } from "../src/store/db/driver.ts";
import { WakeSignal } from "../src/worker/wake-signal.ts";
import { runWorker } from "../src/worker/worker.ts";
import { type ModelRequest, promptOf } from "../test/conformance/model-request.ts";
import { bash, ended, MINUTE, prompt, said } from "../test/seed.ts";
import { startChatServer } from "./chat-server.ts";
import { shorten } from "./quote.ts";
import { inConversation, separately, type Tokens } from "./token-cost.ts";

const TOOL_USES = 60;
const TOOL_CHARS = 3_000;
/** Tokens sent by claude-mem 13.25 for the same work. Each tool use is a request with all earlier tool uses. */
const CLAUDE_MEM = 2_470_000;
const CASES = [
  { turns: 6, goal: 40_000, turnMs: 4 * MINUTE, pauseMs: 3 * MINUTE },
  { turns: TOOL_USES, goal: 100_000, turnMs: MINUTE, pauseMs: MINUTE },
];
const WORDS = "const rows = await store.find(query, { limit: 20 }); // in the order of their time\n";
/** A session's job waits three seconds after the end of a turn. */
const SETTLED_MS = 4_000;
const KINDS = ["turns", "session"] as const;

type Case = (typeof CASES)[number];

export async function benchTokens(): Promise<void> {
  console.log(`A model and ${TOOL_USES} tool uses of ${TOOL_CHARS / 1000} KB (estimated tokens)`);
  for (const one of CASES) {
    const shared = await runCase(one, { isShared: true });
    const all = sum(shared, ({ input, output }) => input + output);
    console.log(`  in ${one.turns} turns`);
    for (const kind of KINDS) {
      const own = shared.filter(({ purpose }) => purpose === kind);
      const [input, output] = [sum(own, (each) => each.input), sum(own, (each) => each.output)];
      printRow(`${own.length} requests (${kind})`, `${number(input)} in, ${number(output)} out`);
    }
    const ratio = (all / CLAUDE_MEM).toFixed(3);
    printRow("input and output", `${number(all)}   goal <= ${number(one.goal)}   ${ratio} of claude-mem's`);
    const single = await runCase(one, { isShared: false });
    compare("as the worker sends them", shared);
    compare("one request for each turn", single);
  }
}

/** Input tokens in units of an uncached token. The output is the same in all columns. */
function compare(name: string, requests: readonly Tokens[]): void {
  console.log(`    ${name}, in input tokens at full price`);
  printRow("each on its own", `${number(separately(requests, "none"))}, cached ${number(separately(requests, "ttl"))}`);
  printRow(
    "in one conversation",
    `${number(inConversation(requests, "none"))}, cached ${number(inConversation(requests, "ttl"))}, if no cache expired ${number(inConversation(requests, "always"))}`,
  );
}

const printRow = (name: string, value: string): void => console.log(`    ${name.padEnd(26)} ${value}`);
const number = (value: number): string => Math.round(value).toLocaleString("en");

function sum<T>(list: readonly T[], value: (one: T) => number): number {
  return list.reduce((total, one) => total + value(one), 0);
}

/** `isShared`: turns wait for others of their session, as they do; else each is sent at its end. */
async function runCase(one: Case, { isShared }: { isShared: boolean }): Promise<Tokens[]> {
  const folder = mkdtempSync(join(tmpdir(), "c-mem-tokens-"));
  const env = { HOME: folder, C_MEM_HOME: join(folder, "data") };
  const paths = resolvePaths(env);
  const model = await startChatServer(replyTo);
  const clock = shiftedClock();
  mkdirSync(paths.home, { recursive: true, mode: 0o700 });
  const settings = { provider: "openai", model: "counted", baseUrl: `${model.url}/v1` };
  writeFileSync(join(paths.home, "config.json"), JSON.stringify(settings));
  const start = Date.now();
  let lost = 0;
  try {
    for (let turn = 0; turn < one.turns; turn++) {
      const begin = start + turn * (one.turnMs + one.pauseMs);
      await runDueJobs(env, clock, begin);
      for (const { activity, at } of eventsOf(turn, one, begin)) writeDrop(paths.spool, eventAt(activity, at));
      clock.set(begin + one.turnMs + SETTLED_MS);
      await runOnce(env);
      if (!isShared) {
        makeTurnsDue(paths.database);
        await runOnce(env);
      }
    }
    await runDueJobs(env, clock, Infinity);
    lost = droppedParts(paths.database);
  } finally {
    clock.restore();
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
  if (lost > 0) throw new Error(`${lost} parts of the replies were dropped: the script must keep to its evidence`);
  return model.exchanges.map(({ purpose, at, fixedTokens, textTokens, outputTokens }) => {
    return { purpose, at, fixed: fixedTokens, input: fixedTokens + textTokens, output: outputTokens };
  });
}

interface Clock {
  set(time: number): void;
  restore(): void;
}

function shiftedClock(): Clock {
  const now = Date.now.bind(Date);
  let offset = 0;
  Date.now = () => now() + offset;
  return {
    set: (time) => (offset = time - now()),
    restore: () => (Date.now = now),
  };
}

type TestEnv = Record<"HOME" | "C_MEM_HOME", string>;

async function runOnce(env: TestEnv): Promise<void> {
  const paths = resolvePaths(env);
  const lock = await takeLock(paths, "1.0.0");
  if (lock === undefined) throw new Error("another worker has the lock");
  const wakeSignal = new WakeSignal([]);
  const { signal } = new AbortController();
  try {
    await runWorker({ paths, env, token: lock.token, log: () => {}, wakeSignal, signal, once: true });
  } finally {
    wakeSignal.close();
    removeLock(paths.workerLock, lock.token);
  }
}

/** Moves the clock to each waiting job that is due before `until`, and runs the worker then. */
async function runDueJobs(env: TestEnv, clock: Clock, until: number): Promise<void> {
  const { database } = resolvePaths(env);
  for (let due = nextJob(database); due !== undefined && due < until; due = nextJob(database)) {
    clock.set(Math.max(due, Date.now()) + 1);
    await runOnce(env);
  }
}

/** Undefined also before the first turn, when there is no database yet. */
function nextJob(database: string): number | undefined {
  if (!existsSync(database)) return undefined;
  const sql = "SELECT min(run_after) FROM jobs WHERE kind = 'enrich' AND status = 'pending'";
  return withDriver(database, {}, (db) => db.value<number>(sql));
}

function makeTurnsDue(database: string): void {
  const sql = "UPDATE jobs SET run_after = 0 WHERE key LIKE 'enrich:%' AND status = 'pending'";
  withDriver(database, {}, (db) => db.run(sql));
}

function droppedParts(database: string): number {
  return withDriver(database, {}, (db) => db.value<number>("SELECT sum(dropped) FROM ledger")) ?? 0;
}

function eventAt(activity: Activity, at: number) {
  return {
    agent: "claude-code" as const,
    sessionId: "s",
    cwd: "/app",
    branch: "main",
    project: { key: "k", name: "app", root: "/app" },
    activity,
    at,
  };
}

/** A request, tool uses with what the agent says between them, and its last message. */
function eventsOf(turn: number, { turns, turnMs }: Case, begin: number): { activity: Activity; at: number }[] {
  const tools = TOOL_USES / turns;
  const last = `Step ${turn} of the store works: rows are returned in the order of their time. All tests pass.`;
  const activities = [
    prompt(`Task ${turn}: repair the store so that find() returns rows in the order of their time`),
    ...Array.from({ length: tools }, (_, tool) => [
      ...(tool % 5 === 0 ? [said(`u${turn}-${tool}`, `Next I look at step ${turn}-${tool} of the store.`)] : []),
      bash(`npm run step-${turn}-${tool}`, WORDS.repeat(TOOL_CHARS).slice(0, TOOL_CHARS)),
    ]).flat(),
    said(`u${turn}`, last),
    ended(last),
  ];
  return activities.map((activity, index) => ({ activity, at: begin + (index * turnMs) / activities.length }));
}

/** A note for every five tool uses, and a summary of each turn, of the length that the prompt asks for. */
export function replyTo(request: ModelRequest): object | undefined {
  if (request.purpose === "turns") return turnsReply(request);
  return request.purpose === "session" ? sessionReply(request) : undefined;
}

const SENTENCES = [
  "The store returned rows in the order of their keys, because the query had no order of its own.",
  "It now sorts by time before it applies the limit, so that the latest rows come first.",
  "Callers that relied on the old order were changed, and the tests cover both cases.",
];

function turnsReply(request: ModelRequest): object {
  const observations = request.turns.flatMap((turn) => {
    const tools = request.pieces.filter((piece) => piece.turn === turn && piece.id.startsWith("t"));
    return Array.from({ length: Math.ceil(tools.length / 5) }, (_, index) => ({
      turn,
      type: "bugfix",
      title: `The store sorts rows by time before it applies the limit (step ${turn - 1}-${index * 5})`,
      subtitle: "Callers get the latest rows first",
      narrative: SENTENCES.join(" "),
      facts: ["store.find() takes a limit of 20", "Rows come in the order of their time"],
      concepts: ["problem-solution", "what-changed"],
      files: [],
      evidence: tools.slice(index * 5, index * 5 + 3).map(({ id }) => id),
      quote: "",
      replaces: [],
    }));
  });
  const turns = request.turns.map((turn) => ({
    turn,
    request: shorten(promptOf(request, turn)?.text ?? "", 120),
    investigated: "The query of the store and its callers",
    learned: SENTENCES[0],
    completed: SENTENCES[1],
    next_steps: "",
    notes: "",
    evidence: [promptOf(request, turn)?.id ?? ""],
  }));
  return { observations, confirmed: [], closed: [], turns };
}

function sessionReply(request: ModelRequest): object {
  const [first] = request.pieces;
  return {
    title: "The store returns rows in the order of their time",
    subtitle: "All steps sort before the limit, and the tests cover both cases",
    request: shorten(first?.text.split("\n")[0] ?? "", 160),
    investigated: "The query of the store and its callers, step by step",
    learned: SENTENCES.join(" "),
    completed: SENTENCES.join(" "),
    notes: "",
    open: ["Push the branch", "Run the slow tests once more"],
    decisions: [],
    handover: [...SENTENCES, "Run the tests of the store before the next change.", "Nothing is pushed yet."],
    evidence: request.pieces.slice(0, 10).map(({ id }) => id),
  };
}
