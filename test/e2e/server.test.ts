// The worker's HTTP server over real sockets: access, rejected requests, port, event stream and replies.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { isSameProcess } from "../../src/platform/worker-lock.ts";
import { EVENTS } from "../../src/server/schemas/events.ts";
import { bash, ended, prompt, seedStore, touch } from "../seed.ts";
import { allBytes, createWorld, data, hook, ROOT, run } from "./harness.ts";
import {
  send,
  createServed,
  readRecord,
  type Served,
  serveUntilEnd,
  startServed,
  watch,
  type Watcher,
} from "./server-world.ts";

const PROMPT = { hook_event_name: "UserPromptSubmit", prompt: "Use a queue for the mails" };

async function waitUntil(what: string, look: () => boolean | Promise<boolean>, maxMs = 45_000): Promise<void> {
  for (const start = Date.now(); !(await look()); await setTimeout(50)) {
    if (Date.now() - start > maxMs) throw new Error(`timed out: ${what}`);
  }
}

const names = (watcher: Watcher): string[] => watcher.events.map(({ event }) => event);

/** The first request loads the server's code, which can take longer than a command's timeout. */
const warmUp = (served: Served) => send(served, "/api/jobs");

describe("access", () => {
  it("requires the token; without it only the health check answers", async () => {
    const served = await createServed();
    expect(statSync(join(served.home, "server.json")).mode & 0o777).toBe(0o600);
    expect(served.token).toMatch(/^[0-9a-f]{64}$/);
    expect((await send(served, "/api/jobs")).status).toBe(200);
    const life = await send(served, "/health", { headers: { Authorization: "" } });
    expect(JSON.parse(life.text)).toEqual({ name: "c-mem", version: expect.any(String) as string, pid: served.pid });
    for (const Authorization of ["", "Bearer", "Bearer wrong", `Basic ${served.token}`, `Bearer ${served.token}0`]) {
      for (const [method, path] of [
        ["GET", "/api/jobs"],
        ["GET", "/api/openapi.json"],
        ["GET", "/stream"],
        ["POST", "/sessions/init"],
      ] as const) {
        const { status, json } = await send(served, path, { method, headers: { Authorization } });
        expect([status, json.error.code]).toEqual([401, "unauthorized"]);
      }
    }
  });

  it("is blocked after too many wrong tokens, while the right one still works", async () => {
    const served = await createServed();
    const wrong = { headers: { Authorization: "Bearer no" } };
    const statuses: number[] = [];
    for (let tries = 0; tries < 30; tries++) statuses.push((await send(served, "/api/jobs", wrong)).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    expect((await send(served, "/api/jobs", wrong)).headers["retry-after"]).toBe("60");
    expect((await send(served, "/api/jobs")).status).toBe(200);
  });

  it("is granted by the one-time link of `c-mem open`", async () => {
    const served = await createServed();
    await warmUp(served);
    const { stdout } = await run(served, ["open", "--no-browser"]);
    const url = new URL(stdout.trim());
    expect(url.origin).toBe(`http://127.0.0.1:${served.port}`);
    const link = { headers: { Authorization: "", "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate" } };
    const first = await send(served, url.pathname + url.search, link);
    expect([first.status, first.headers["location"]]).toEqual([303, "/"]);
    const cookie = String(first.headers["set-cookie"]);
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(cookie).not.toContain(served.token);
    expect((await send(served, url.pathname + url.search, link)).status).toBe(401);
    const Cookie = cookie.split(";")[0] ?? "";
    const page = { Authorization: "", Cookie, "Sec-Fetch-Site": "same-origin" };
    expect((await send(served, "/api/jobs", { headers: page })).status).toBe(200);
    const body = JSON.stringify({ value: 1_000 });
    const change = { method: "PUT", body, headers: { ...page, "Content-Type": "application/json" } };
    expect((await send(served, "/api/settings/contextTokens", change)).status).toBe(200);
    const form = { ...change, headers: { ...page, "Content-Type": "text/plain" } };
    expect((await send(served, "/api/settings/contextTokens", form)).status).toBe(401);
    const silent = { ...change, headers: { Authorization: "", Cookie, "Content-Type": "application/json" } };
    expect((await send(served, "/api/settings/contextTokens", silent)).status).toBe(401);
    const forged = { ...page, Cookie: `${Cookie.slice(0, -1)}${Cookie.endsWith("0") ? "1" : "0"}` };
    expect((await send(served, "/api/jobs", { headers: forged })).status).toBe(401);
  });
});

describe("c-mem open", () => {
  it("opens the browser on a desktop, else prints the link", async () => {
    const served = await createServed();
    await warmUp(served);
    const folder = join(served.home, "desktop");
    mkdirSync(folder);
    writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\necho "$1" > "${folder}/opened"\n`, { mode: 0o755 });
    const desktop = { DISPLAY: ":1", PATH: `${folder}:${served.env["PATH"]}` };
    const opened = await run(served, ["open"], { env: desktop });
    expect([opened.status, opened.stdout]).toEqual([0, ""]);
    expect(readFileSync(join(folder, "opened"), "utf8")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/open\?code=[\w-]{32}\n$/);
    for (const env of [
      { ...desktop, DISPLAY: "" },
      { ...desktop, SSH_CONNECTION: "x" },
      { DISPLAY: ":1", PATH: "/nowhere" },
    ]) {
      const { status, stdout } = await run(served, ["open"], { env });
      expect([status, stdout.startsWith("http://127.0.0.1:")]).toEqual([0, true]);
    }
    expect((await data(served, ["open"]))["opened"]).toBe(false);
  });
});

describe("a rejected request", () => {
  it("is one from another host name, origin or site, even with a token", async () => {
    const served = await createServed();
    const own = `127.0.0.1:${served.port}`;
    const cases: [Record<string, string>, number][] = [
      [{ Host: own }, 200],
      [{ Host: `localhost:${served.port}`, Origin: `http://localhost:${served.port}` }, 200],
      [{ Host: `evil.example:${served.port}` }, 403],
      [{ Host: `rebound.evil.example:${served.port}`, Origin: `http://rebound.evil.example:${served.port}` }, 403],
      [{ Host: "127.0.0.1" }, 403],
      [{ Host: `127.0.0.1:${served.port + 1}` }, 403],
      [{ Host: own, Origin: "https://evil.example" }, 403],
      [{ Host: own, Origin: "null" }, 403],
      [{ Host: own, Origin: `http://127.0.0.1:${served.port + 1}` }, 403],
      [{ Host: own, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors" }, 403],
      [{ Host: own, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors" }, 403],
      [{ Host: own, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" }, 403],
    ];
    for (const [headers, status] of cases) {
      expect({ headers, status: (await send(served, "/api/jobs", { headers })).status }).toEqual({
        headers,
        status,
      });
    }
    const preflight = await send(served, "/api/jobs", {
      method: "OPTIONS",
      headers: { Origin: "https://evil.example" },
    });
    expect(preflight.status).toBe(403);
    expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("is one whose body is too large or not JSON, and the server continues", async () => {
    const served = await createServed();
    const post = { method: "POST", headers: { "Content-Type": "application/json" } };
    // Rejected by its Content-Length: a slow sender is disconnected before it has sent the body.
    const announced = { ...post.headers, "Content-Length": String(5 * 1024 * 1024) };
    const refused = await send(served, "/sessions/init", { ...post, headers: announced });
    expect([refused.status, refused.json.error.code]).toEqual([413, "too_large"]);
    // One byte too many: rejected after all bytes were sent.
    const large = `"${"x".repeat(4 * 1024 * 1024 - 1)}"`;
    const chunked = { ...post, headers: { ...post.headers, "Transfer-Encoding": "chunked" }, body: large };
    expect((await send(served, "/sessions/init", chunked)).status).toBe(413);
    const none = await send(served, "/api/settings/contextTokens", { method: "DELETE" });
    expect([none.status, none.json.error]).toEqual([200, undefined]);
    const small = { ...chunked, method: "PUT", body: JSON.stringify({ value: 1_000 }) };
    expect((await send(served, "/api/settings/contextTokens", small)).status).toBe(200);
    const broken = await send(served, "/sessions/init", { ...post, body: '{"secret": hunter2' });
    expect([broken.status, broken.text.includes("hunter2")]).toEqual([400, false]);
    expect((await send(served, "/api/jobs")).status).toBe(200);
  });

  it("is one with an invalid setting, and the file is unchanged", async () => {
    const served = await createServed();
    const path = join(served.home, "config.json");
    writeFileSync(path, '{\n  "contextTokens": 900,\n  "mine": "stays"\n}\n');
    const put = (key: string, value: unknown) =>
      send(served, `/api/settings/${key}`, { method: "PUT", body: JSON.stringify({ value }) });
    for (const [key, value] of [
      ["contextTokens", "1e9"],
      ["__proto__", { polluted: true }],
      ["constructor", "x"],
      ["provider", "../../etc"],
      ["skipTools", { length: 1 }],
    ] as const) {
      expect((await put(key, value)).status).toBe(400);
    }
    expect(readFileSync(path, "utf8")).toBe('{\n  "contextTokens": 900,\n  "mine": "stays"\n}\n');
    expect((await put("contextTokens", 800)).status).toBe(200);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ contextTokens: 800, mine: "stays" });
    const unreadable = '{ // a comment\n  "contextTokens": 900\n}\n';
    writeFileSync(path, unreadable);
    expect((await put("contextTokens", 700)).json.error.code).toBe("bad_config");
    expect(readFileSync(path, "utf8")).toBe(unreadable);
  });

  it("gets security headers that allow no scripts", async () => {
    const served = await createServed();
    for (const path of ["/health", "/api/jobs", "/api/nothing", "/", "/deep/link"]) {
      const { headers } = await send(served, path);
      expect(headers["content-security-policy"]).toMatch(/default-src 'none'; script-src 'self'/);
      expect(headers["content-security-policy"]).not.toContain("unsafe");
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });
});

describe("the port", () => {
  it("is the next free one if taken, and stays the same after a kill, with the same token", async () => {
    const taken = await occupy();
    const served = await createServed({ C_MEM_PORT: String(portOf(taken)) });
    expect(served.port).not.toBe(portOf(taken));
    expect((await send(served, "/health")).status).toBe(200);
    process.kill(served.pid, "SIGKILL");
    // The socket closes before the process ends, and until then `worker start` sees a running worker.
    await waitUntil("it is gone", async () => !isSameProcess(served));
    taken.close();
    const again = await startServed(served);
    expect({ port: again.port, token: again.token }).toEqual({ port: served.port, token: served.token });
    expect((await send(again, "/api/jobs")).status).toBe(200);
  });

  it("is closed with port 0, and the worker still works", async () => {
    const served = await createServedWithoutPort();
    await hook(served, "new", { session_id: "s", prompt_id: "p", ...PROMPT });
    await waitUntil("it was brought in", async () => readdirSync(join(served.home, "spool")).length === 0);
    expect(readRecord(served)).toBeUndefined();
    const { stderr, status } = await run(served, ["open", "--print"]);
    expect([status, stderr.includes("port: 0")]).toEqual([1, true]);
  });

  it("is shown by status, doctor and worker status", async () => {
    const served = await createServed();
    expect((await data(served, ["worker", "status"]))["port"]).toBe(served.port);
    expect((await run(served, ["status"])).stdout).toContain(`http://127.0.0.1:${served.port}`);
  });
});

async function createServedWithoutPort(): Promise<Served> {
  const world = createWorld();
  Object.assign(world.env, { C_MEM_WORKER: "1", C_MEM_PORT: "0" });
  onTestFinished(async () => {
    await run(world, ["worker", "stop"]);
  });
  return { ...world, port: 0, token: "", pid: 0 };
}

function occupy(): Promise<Server> {
  return new Promise((done) => {
    const server = createServer();
    onTestFinished(() => void server.close());
    server.listen(0, "127.0.0.1", () => done(server));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Writes events like another process: 100, a pause, the next 100. */
async function write(served: Served, count: number, { more = "", pauseMs = 100 } = {}): Promise<void> {
  const { db, add } = seedStore(join(served.home, "c-mem.db"), { project: { key: "k", name: "app", root: "/app" } });
  for (let index = 0; index < count; index++) {
    if (index % 100 === 0) db.exec("BEGIN IMMEDIATE");
    add("many", bash(`echo ${index} ${more}`), { at: Date.now() });
    if (index % 100 !== 99) continue;
    db.exec("COMMIT");
    await setTimeout(pauseMs);
  }
  db.close();
}

describe("the stream", () => {
  it("sends events of hooks, editors and the worker, and resumes after a reconnect", async () => {
    const served = await createServed();
    const watcher = await watch(served);
    await hook(served, "new", { session_id: "live", prompt_id: "p1", ...PROMPT });
    await hook(served, "save", {
      session_id: "live",
      prompt_id: "p1",
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_use_id: "t1",
      tool_input: { command: "npm test" },
      tool_response: { stdout: "ok", stderr: "" },
    });
    await waitUntil("prompt and tool use are told", () => names(watcher).includes("tool_use"));
    const last = watcher.events.at(-1)?.id ?? "";
    watcher.close();
    const post = (path: string, body: object) => send(served, path, { method: "POST", body: JSON.stringify(body) });
    await post("/api/sessions/summarize", {
      claudeSessionId: "live",
      last_assistant_message: "We decided to use a queue.",
    });
    await post("/api/sessions/complete", { claudeSessionId: "live", reason: "exit" });
    const again = await watch(served, { lastEventId: last });
    await post("/api/processing", { isProcessing: true });
    await waitUntil("the end and the summary are told", () =>
      ["session_completed", "summary", "processing_status"].every((name) => names(again).includes(name)),
    );
    again.close();
    const all = [...watcher.events, ...again.events];
    expect(new Set(all.map(({ event }) => event))).toEqual(
      new Set(["session_started", "prompt", "tool_use", "session_completed", "summary", "processing_status"]),
    );
    for (const { event, data: told } of all) {
      expect({ event, issues: z.safeParse(EVENTS[event]?.() ?? z.never(), told).error?.issues }).toEqual({ event });
    }
    expect(again.events.filter(({ event }) => event === "prompt")).toEqual([]);
  });

  it("serves 50 readers at 1,000 events a second, all in order", async () => {
    const served = await createServed();
    const watchers = await Promise.all(Array.from({ length: 50 }, () => watch(served)));
    const told = (watcher: Watcher) =>
      watcher.events.filter(({ event }) => event === "tool_use").map(({ data: { id } }) => id);
    const sent = 3_000;
    await write(served, sent);
    await waitUntil("all have all", () => watchers.every((watcher) => told(watcher).length === sent), 30_000);
    for (const watcher of watchers) expect(told(watcher)).toEqual(told(watchers[0] as Watcher));
    expect((await send(served, "/api/jobs")).status).toBe(200);
    for (const watcher of watchers) watcher.close();
  });

  it("disconnects only a reader that reads nothing", async () => {
    const served = await createServed();
    const stalled = await watch(served, { read: false });
    const reader = await watch(served);
    const sent = 25_000;
    await write(served, sent, { more: "x".repeat(2_000), pauseMs: 20 });
    await waitUntil("the other has all", () => reader.events.length >= sent, 40_000);
    const body = JSON.stringify({ isProcessing: false });
    const left = await send(served, "/api/processing", { method: "POST", body });
    expect(left.json.data["told"]).toBe("1 reader");
    stalled.close();
    reader.close();
  });
});

describe("every reply", () => {
  it("equals the command's JSON", async () => {
    const world = createWorld();
    const { db, add } = seedStore(join(world.home, "c-mem.db"), {
      project: { key: world.project, name: "project", root: world.project },
      cwd: world.project,
    });
    add("one", prompt("Always use SQLite for the cache"));
    add("one", touch("src/cache.ts"));
    add("one", bash("npm test", "no", 1));
    add("one", ended("The cache is in SQLite."));
    add("two", { kind: "origin", forkedFrom: "one" });
    add("two", prompt("Go on with the cache"));
    add("two", touch("src/cache.ts"));
    add("two", ended("It is done."));
    db.close();
    await run(world, ["rebuild", "--all"]);
    // Run all jobs first: a job between a command and a request would make their results differ.
    await run(world, ["worker", "run", "--once"]);
    const served = await serveUntilEnd(world);
    for (const [path, ...args] of [
      ["/api/search?q=cache", "search", "cache", "--all"],
      ["/api/sessions?limit=1", "list", "--all", "-n", "1"],
      ["/api/timeline", "timeline", "--all"],
      ["/api/timeline?anchor=one&depth=1", "timeline", "one", "--depth", "1"],
      ["/api/observations?type=decision", "observations", "--all", "--type", "decision"],
      ["/api/observations/o1", "show", "o1"],
      ["/api/related/two", "related", "two"],
      ["/api/efforts", "efforts", "--all"],
      ["/api/efforts/two", "effort", "two"],
      ["/api/files?path=src/cache.ts", "blame", "src/cache.ts"],
      ["/api/projects", "projects"],
      ["/api/stats?project=project", "stats"],
      ["/api/context/inject?project=project&contextTokens=500", "context", "project"],
      ["/api/export/one?format=md", "export", "one", "--format", "md"],
      ["/api/settings", "config"],
      ["/api/search?q=zzzqqq", "search", "zzzqqq", "--all"],
    ] as [string, ...string[]][]) {
      const env = { C_MEM_CONTEXT_TOKENS: "500" };
      const own = path.includes("contextTokens") ? env : {};
      const { stdout } = await run(served, [...args, "--json"], { env: own });
      const answer = await send(served, path);
      expect({ path, ...withoutVolatile(answer.json) }).toEqual({ path, ...withoutVolatile(JSON.parse(stdout)) });
    }
  });
});

describe("a large store", () => {
  it("is counted in a separate process, once for all requests and not at every change", async () => {
    const served = await createServed();
    const { db, add } = seedStore(join(served.home, "c-mem.db"));
    add("one", prompt("Use a queue for the mails"));
    db.exec("CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(120000000))");
    // Checkpoint now: during the next commit it could take longer than an answer is cached.
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const sessions = async (path = "/api/stats"): Promise<number> =>
      ((await send(served, path)).json.data["totals"] as { sessions: number }).sessions;
    expect(await Promise.all([sessions(), sessions()])).toEqual([1, 1]);
    add("two", prompt("Another one"));
    // The cached answer is reused: without the cache there would be two counts.
    expect(await sessions()).toBe(1);
    expect(await sessions("/api/stats?agent=claude-code")).toBe(2);
    await waitUntil("what was counted is too old", async () => (await sessions()) === 2, 30_000);
    const { status, json } = await send(served, "/api/stats?project=nowhere");
    expect([status, json.error.code]).toEqual([404, "nothing_found"]);
    const health = async (check: string): Promise<string | undefined> =>
      ((await send(served, "/api/health")).json.data["results"] as { name: string; state: string }[]).find(
        ({ name }) => name === check,
      )?.state;
    expect(await health("worker")).toBe("ok");
    expect(await health("settings")).toBe("ok");
    // The store is unchanged, but the answer differs.
    writeFileSync(join(served.home, "config.json"), "{");
    await waitUntil("what was found is too old", async () => (await health("settings")) !== "ok", 30_000);
    db.close();
  });
});

/** Removes numbers that differ with every request. */
function withoutVolatile(given: object): object {
  const answer = given as { meta?: { ms?: number; where?: string } };
  const { ms: _, where: _where, ...meta } = answer.meta ?? {};
  return { ...answer, meta };
}

describe("an editor without hooks", () => {
  it("records a whole session over HTTP, as docs/examples/editor.mjs does", async () => {
    const served = await createServed();
    const example = join(ROOT, "docs", "examples", "editor.mjs");
    const play = (session: string): { session: { recorded: boolean; prompt_number: number }; context_chars: number } =>
      JSON.parse(
        execFileSync(process.execPath, [example, served.project, session], { env: served.env, encoding: "utf8" }),
      ) as never;
    const first = play("first");
    expect(first).toMatchObject({
      session: { session_id: "first", recorded: true, prompt_number: 1 },
      context_chars: 0,
    });
    await waitUntil("the session is there and over", async () => {
      const { json } = await send(served, "/api/sessions/first");
      return json.data?.["status"] === "completed" && (json.data["observations"] as unknown[]).length > 0;
    });
    const { json } = await send(served, "/api/sessions/first");
    expect(json.data).toMatchObject({ agent: "example", project: "project", counts: { prompts: 1, tool_uses: 1 } });
    expect(json.data["files"]).toMatchObject([{ path: "cache.js", created: true }]);
    expect(play("second").context_chars).toBeGreaterThan(100);
    expect((await send(served, "/api/sessions?agent=example")).status).toBe(200);
  });

  it("can send the time of an event", async () => {
    const served = await createServed();
    const at = new Date(Date.now() - 60_000).toISOString();
    const body = { sessionId: "s", cwd: served.project, prompt: "Fix it", timestamp: at };
    await send(served, "/sessions/init", { method: "POST", body: JSON.stringify(body) });
    expect((await send(served, "/api/sessions/s")).json.data).toMatchObject({ started_at: at });
  });

  it("can send everything twice, and private text is not stored", async () => {
    const served = await createServed();
    const post = (path: string, body: object) =>
      send(served, path, {
        method: "POST",
        body: JSON.stringify({ sessionId: "s", cwd: served.project, ...body }),
      });
    const secret = "sk-ant-api03-" + "A1b2".repeat(20);
    for (let times = 0; times < 2; times++) {
      await post("/sessions/init", {
        prompt: `Fix <private>the hidden thing</private> with ${secret}`,
        prompt_id: "p1",
      });
      const use = { tool_name: "Bash", tool_use_id: "u1", prompt_id: "p1" };
      await post("/api/sessions/observations", {
        ...use,
        tool_input: { command: `echo ${secret}` },
        tool_response: "ok",
      });
    }
    const hidden = await post("/sessions/init", { prompt: "<private>all of this</private>", prompt_id: "p2" });
    expect(hidden.json.data).toMatchObject({ recorded: false, why: "private" });
    const late = {
      tool_name: "Bash",
      tool_use_id: "u2",
      prompt_id: "p2",
      tool_input: {},
      tool_response: "of the hidden turn",
    };
    expect((await post("/api/sessions/observations", late)).json.data).toMatchObject({ recorded: false });
    await waitUntil("all is in", async () => {
      const { json } = await send(served, "/api/sessions/s");
      return (json.data?.["counts"] as { tool_uses: number } | undefined)?.tool_uses === 1;
    });
    const { json } = await send(served, "/api/sessions/s");
    expect(json.data["counts"]).toMatchObject({ prompts: 1, tool_uses: 1 });
    await run(served, ["worker", "stop"]);
    const bytes = allBytes(served.home);
    for (const words of [secret, "hidden thing", "all of this", "of the hidden turn"])
      expect(bytes).not.toContain(words);
  });
});
