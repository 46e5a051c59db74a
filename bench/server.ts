// Measures throughput and latency of the API at 100,000 observations, against an empty route of the same framework.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Db } from "../src/store/db/driver.ts";
import { transaction } from "../src/store/db/transaction.ts";
import { insertObservation } from "../src/store/tables/observations.ts";
import { benchPage } from "./page.ts";
import { createStore, rareWord, text } from "./fill-store.ts";
import { median, PLUGIN, quantile, ROOT } from "./measure.ts";

const OBSERVATIONS = 100_000;
/** Concurrent requests, as from a page and a few editors. */
const CONCURRENCY = 4;
const SECONDS = 2;
const ROUNDS = 3;
/** Waits before measuring, because a worker that has just started is busy. */
const SETTLE_MS = 3_000;

const TRIVIAL = `const { Hono } = await import("hono"); const { serve } = await import("@hono/node-server");
const app = new Hono(); app.get("/", (http) => http.json({ ok: true })); app.get("/page", (http) => http.html("<p>empty</p>"));
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(port));`;

interface Target {
  name: string;
  port: number;
  token: string;
  path(): string;
}

export async function benchServer(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "c-mem-server-bench-"));
  const env = { PATH: process.env["PATH"], HOME: home, C_MEM_PORT: "38777" };
  const db = createStore(home, OBSERVATIONS);
  fillObservations(db);
  // Leaves no background work for the worker, which would disturb the measurement.
  db.run("UPDATE sessions SET status = 'completed', ended_at = last_at");
  db.close();
  const worker = spawn(process.execPath, [join(PLUGIN, "worker.cjs")], {
    env,
    cwd: home,
    stdio: "ignore",
  });
  const trivial = spawn(process.execPath, ["--input-type=module", "-e", TRIVIAL], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const { port, token } = await findServer(home);
    const path = (make: () => string) => ({ port, token, path: make });
    await setTimeout(SETTLE_MS);
    const trivialPort = await portOf(trivial);
    await measure([
      { name: "an empty route", port: trivialPort, token, path: () => "/" },
      { name: "/health", ...path(() => "/health") },
      { name: "/api/search, rare words", ...path(() => `/api/search?q=${rareWord()}+${rareWord()}`) },
      { name: "/api/search, a sentence", ...path(() => `/api/search?q=${encodeURIComponent(text(8))}`) },
      { name: "/api/context/inject", ...path(() => "/api/context/inject?project=app") },
      { name: "/api/observations", ...path(() => "/api/observations?limit=20") },
      { name: "/api/sessions", ...path(() => "/api/sessions?limit=20") },
    ]);
    await benchPage({ port, token }, trivialPort, PLUGIN);
  } finally {
    worker.kill("SIGTERM");
    trivial.kill("SIGTERM");
    await new Promise((done) => worker.once("close", done));
    rmSync(home, { recursive: true, force: true });
  }
}

function fillObservations(db: Db): void {
  const turns = db.all<{ session: number; number: number; project: number; at: number; id: number }>(
    "SELECT p.session_db_id AS session, p.prompt_number AS number, s.project_id AS project, p.created_at AS at, p.id FROM prompts p JOIN sessions s ON s.id = p.session_db_id",
  );
  const each = Math.ceil(OBSERVATIONS / turns.length);
  for (let from = 0; from < turns.length; from += 200) {
    transaction(db, () => {
      for (const { session, number, project, at, id } of turns.slice(from, from + 200)) {
        for (let index = 0; index < each; index++) {
          const observation = {
            type: "discovery" as const,
            title: text(8),
            narrative: text(40),
            facts: [text(10)],
            concepts: [],
            files: [`src/${rareWord()}.ts`],
            evidence: [`p${id}`],
            origin: "assistant" as const,
          };
          const turn = { sessionDbId: session, promptNumber: number };
          const seed = { projectId: project, turn, observation };
          insertObservation(db, { ...seed, producer: { name: "extractor" }, validFrom: at }, at);
        }
      }
    });
  }
}

async function findServer(home: string): Promise<{ port: number; token: string }> {
  for (let tries = 0; tries < 400; tries++) {
    try {
      const record = JSON.parse(readFileSync(join(home, ".c-mem", "server.json"), "utf8")) as {
        port: number;
        token: string;
      };
      if (record.port > 0) return record;
    } catch {
      // The file does not exist yet.
    }
    await setTimeout(50);
  }
  throw new Error("the worker does not serve");
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((done) => child.stdout?.once("data", (line: Buffer) => done(Number(line.toString()))));
}

async function measure(targets: readonly Target[]): Promise<void> {
  const rates = targets.map(() => [] as number[]);
  const times = targets.map(() => [] as number[]);
  for (let round = -1; round < ROUNDS; round++) {
    for (const [index, target] of targets.entries()) {
      const taken = await load(target, round < 0 ? SECONDS / 4 : SECONDS);
      if (round < 0) continue;
      rates[index]?.push(taken.length / SECONDS);
      times[index]?.push(...taken);
    }
  }
  console.log(
    `The API at ${OBSERVATIONS.toLocaleString("en")} observations, ${CONCURRENCY} requests at a time (Node ${process.versions.node}); in parentheses: ratio to the empty route`,
  );
  const [plainRate = 1, plainP95 = 1] = [median(rates[0] ?? []), quantile(times[0] ?? [], 0.95)];
  for (const [index, { name }] of targets.entries()) {
    const rate = median(rates[index] ?? []);
    const [p50 = 0, p95 = 0] = [0.5, 0.95].map((share) => quantile(times[index] ?? [], share));
    console.log(
      `  ${name.padEnd(26)} ${rate.toFixed(0).padStart(6)}/s (${(rate / plainRate).toFixed(3)})  p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (${(p95 / plainP95).toFixed(1)})`,
    );
  }
}

async function load(target: Target, seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const until = performance.now() + seconds * 1000;
  const taken: number[] = [];
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const start = performance.now();
      await get(target, agent);
      taken.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, one));
  agent.destroy();
  return taken;
}

function get({ port, token, path }: Target, agent: Agent): Promise<void> {
  return new Promise((done, fail) => {
    const headers = { Authorization: `Bearer ${token}`, Accept: "application/json" };
    const sent = request({ host: "127.0.0.1", port, path: path(), agent, headers }, (response) => {
      response.resume();
      response.on("end", () => {
        const isAnswer = response.statusCode === 200 || response.statusCode === 404;
        if (isAnswer) done();
        else fail(new Error(`${path()}: ${response.statusCode}`));
      });
    });
    sent.on("error", fail);
    sent.end();
  });
}
