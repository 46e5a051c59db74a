// A store with one or more of each kind of row, and the API on it without a socket.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hono } from "hono";
import { type Paths, resolvePaths } from "../../src/config/paths.ts";
import { deriveNewest } from "../../src/memory/derive.ts";
import { readHandover, saveHandover } from "../../src/memory/handover.ts";
import { createApp } from "../../src/server/app.ts";
import { createHost } from "../../src/server/host.ts";
import type { Host } from "../../src/server/host.ts";
import type { Db } from "../../src/store/db/driver.ts";
import { lastTurnOf } from "../../src/store/reads/running-turns.ts";
import { insertInjection } from "../../src/store/tables/injections.ts";
import { ended, prompt, said, seedStore, touch, bash } from "../seed.ts";

export interface ApiWorld {
  app: Hono;
  host: Host;
  db: Db;
  paths: Paths;
  logged: string[];
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  close(): void;
}

export interface Reply {
  status: number;
  text: string;
  json: {
    command: string;
    data: Record<string, unknown>;
    meta: Record<string, unknown>;
    error: { code: string; message: string; hint?: string };
  };
  headers: Headers;
}

export const PORT = 37_777;
const TOKEN = "ab".repeat(32);
const HEADERS = {
  Host: `127.0.0.1:${PORT}`,
  Authorization: `Bearer ${TOKEN}`,
  "Content-Type": "application/json",
  Accept: "application/json",
};

export function createApiWorld(): ApiWorld {
  const home = mkdtempSync(join(tmpdir(), "c-mem-api-"));
  const root = join(home, "app");
  mkdirSync(join(root, "src"), { recursive: true });
  writeFileSync(join(root, "src", "why.ts"), "one\ntwo\nthree\n");
  const env = {
    HOME: home,
    C_MEM_HOME: join(home, ".c-mem"),
    CLAUDE_CONFIG_DIR: join(home, "claude"),
    PATH: process.env["PATH"],
  };
  const paths = resolvePaths(env);
  const { db, add } = seedStore(paths.database, { cwd: root, project: { key: "k", name: "app", root } });
  fill(add);
  deriveNewest(db, undefined, 5_000);
  spend(db);
  handOver(db);
  mkdirSync(paths.logs, { recursive: true });
  writeFileSync(paths.workerLog, `${JSON.stringify({ at: new Date().toISOString(), pid: 1, message: "started" })}\n`);
  const logged: string[] = [];
  const host = createHost({
    paths,
    env,
    token: TOKEN,
    viewer: join(home, "viewer"),
    port: () => PORT,
    onRequest: () => {},
    onWork: () => {},
    log: (message) => void logged.push(message),
  });
  const app = createApp(host);
  const send: ApiWorld["send"] = async (method, path, body, headers = {}) => {
    const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const response = await app.request(path, {
      method,
      headers: { ...HEADERS, ...headers },
      ...(text !== undefined && { body: text }),
    });
    return readReply(response);
  };
  return {
    app,
    host,
    db,
    paths,
    logged,
    send,
    get: (path, headers) => send("GET", path, undefined, headers),
    close: () => {
      host.close();
      db.close();
    },
  };
}

async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.includes("json") ?? false;
  return {
    status: response.status,
    text,
    json: (isJson ? JSON.parse(text) : {}) as Reply["json"],
    headers: response.headers,
  };
}

type Add = ReturnType<typeof seedStore>["add"];

/** Two related sessions, one of them with a subagent, failures, commits and decisions. */
function fill(add: Add): void {
  add("one", { kind: "session-start", source: "startup", model: "claude" });
  add("one", prompt("From now on use SQLite instead of files for the cache."));
  add("one", said("m-1", "I will use SQLite for the cache.", "The user wants SQLite."));
  add("one", touch("src/cache.ts", "create"));
  add("one", bash("npm test", "Error: no such table: cache", 1));
  add("one", touch("src/cache.ts"));
  add("one", bash("npm test", "ok"));
  add("one", bash('git commit -m "Cache in SQLite"', "[main abc1234] Cache in SQLite\n 1 file changed"));
  add("one", ended("The cache is in SQLite and the tests pass. Next: evict what is old."));
  add("one", said("s-1", "Looked around."), { agentId: "helper1", agentType: "Explore" });
  add("one", touch("src/other.ts", "read"), { agentId: "helper1", agentType: "Explore" });
  add("one", { kind: "session-end", reason: "exit" });
  add("two", { kind: "origin", forkedFrom: "one" });
  add("two", prompt("Go on with session one: evict what is old from the cache in src/cache.ts"));
  add("two", touch("src/cache.ts"));
  add("two", ended("Old entries are evicted from src/cache.ts now."));
  add("two", prompt("<script>alert(1)</script> what about the cache?"));
  add("two", ended("It is fine."));
}

function handOver(db: Db): void {
  const turn = lastTurnOf(db, "two");
  const given = {
    title: "Evict old entries",
    handover: "Old entries are evicted\nNext: a size limit",
    open: "A limit",
  };
  if (turn !== undefined) saveHandover(db, turn, readHandover(given), Date.now());
}

function spend(db: Db): void {
  const session = db.get<{ id: number }>("SELECT id FROM sessions WHERE session_id = 'two'");
  insertInjection(
    db,
    session?.id ?? 0,
    { surface: "session-start", itemIds: ["o1"], chars: 10, tokens: 3 },
    Date.now(),
  );
  const day = new Date().toISOString().slice(0, 10);
  db.run(
    `INSERT INTO ledger (day, project_id, provider, model, purpose, request_hash, status, input_tokens, output_tokens, cost_microusd, created_at)
     VALUES (?, 1, 'anthropic', 'm', 'turn', 'h', 'spent', 100, 10, 1500, ?)`,
    day,
    Date.now(),
  );
  const job =
    "INSERT INTO jobs (kind, key, status, attempts, run_after, last_error, created_at) VALUES (?, ?, ?, 3, 1, ?, 1)";
  db.run(job, "enrich", "enrich:1", "failed", "it went wrong");
}
