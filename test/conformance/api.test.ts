// Checks the API against its documentation: calls every operation, and validates every reply with its schema.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import fc from "fast-check";
import * as z from "zod";
import { errorEnvelope, replyEnvelope } from "../../src/server/openapi.ts";
import type { Route } from "../../src/server/route.ts";
import { ROUTES } from "../../src/server/routes.ts";
import { type ApiWorld, createApiWorld } from "./api-world.ts";

let world: ApiWorld;

beforeAll(() => {
  world = createApiWorld();
});

afterAll(() => world.close());

/** At least one successful call of every operation. Their order matters: some need results of earlier ones. */
const CALLS: [operation: string, path: string, body?: object][] = [
  ["GET /api/context/inject", "/api/context/inject?project=app"],
  ["GET /api/context/inject", "/api/context/inject?project=app&contextTokens=300&contextTypes=decision"],
  ["GET /api/context/inject", "/api/context/inject?project=nowhere"],
  ["GET /api/context/inject", "/api/context/inject?cwd=/nowhere/at/all"],
  ["GET /api/search", "/api/search?q=cache"],
  ["GET /api/search", "/api/search?query=cache"],
  ["GET /api/search", "/api/search?q=cach&all&limit=1"],
  ["GET /api/search", "/api/search?q=sqlite&kind=prompt&project=app"],
  ["GET /api/timeline", "/api/timeline"],
  ["GET /api/timeline", "/api/timeline?anchor=one&depth=2"],
  ["GET /api/timeline", "/api/timeline?anchor=two&depth_before=1&depth_after=0"],
  ["GET /api/timeline", "/api/timeline?query=evict&depth=1"],
  ["GET /api/timeline", "/api/timeline?anchor=o1"],
  ["GET /api/sessions", "/api/sessions"],
  ["GET /api/sessions", "/api/sessions?limit=1&offset=1&agent=claude-code"],
  ["GET /api/sessions/:id", "/api/sessions/one"],
  ["GET /api/sessions/:id", "/api/sessions/two"],
  ["GET /api/sessions/:id", "/api/sessions/agent-helper1"],
  ["GET /api/sessions/:id/transcript", "/api/sessions/one/transcript"],
  ["GET /api/sessions/:id/transcript", "/api/sessions/one/transcript?from=2&limit=3"],
  ["GET /api/sessions/:id/transcript", "/api/sessions/two/transcript?around=t5"],
  ["GET /api/sessions/:id/transcript", "/api/sessions/agent-helper1/transcript"],
  ["GET /api/sessions/:id/outline", "/api/sessions/one/outline"],
  ["GET /api/sessions/:id/items", "/api/sessions/one/items?ids=p1,m1,t1,t2,r1,c1,s2"],
  ["GET /api/sessions/:id/items", "/api/sessions/one/items?ids=t1,t2&whole"],
  ["GET /api/sessions/:id/find", "/api/sessions/one/find?q=cache"],
  ["GET /api/paths", "/api/paths"],
  ["GET /api/export/:id", "/api/export/one"],
  ["GET /api/export/:id", "/api/export/one?format=json&tools"],
  ["GET /api/related/:id", "/api/related/two"],
  ["GET /api/resume/:id", "/api/resume/two"],
  ["GET /api/fix", "/api/fix?error=no such table: cache"],
  ["GET /api/how", "/api/how?q=npm test"],
  ["GET /api/how", "/api/how?q=edit"],
  ["GET /api/observations", "/api/observations"],
  ["GET /api/observations", "/api/observations?q=cache"],
  ["GET /api/observations", "/api/observations?superseded=1&limit=2&offset=1"],
  ["GET /api/observations/:id", "/api/observations/o1"],
  ["GET /api/files", "/api/files?path=src/cache.ts"],
  ["GET /api/files", "/api/files?path=src/other.ts&reads=1"],
  ["GET /api/why", "/api/why?target=src/why.ts&project=app&content=1"],
  ["GET /api/why", "/api/why?target=src/why.ts&project=app&lines=1-2"],
  ["GET /api/efforts", "/api/efforts"],
  ["GET /api/efforts/:id", "/api/efforts/two"],
  ["GET /api/projects", "/api/projects"],
  ["GET /api/stats", "/api/stats"],
  ["GET /api/stats", "/api/stats?project=app"],
  ["GET /api/disk-usage", "/api/disk-usage"],
  ["GET /api/audit", "/api/audit"],
  ["GET /api/backups", "/api/backups"],
  ["GET /api/model", "/api/model"],
  ["GET /api/sync", "/api/sync"],
  ["GET /api/cost", "/api/cost"],
  ["GET /api/impact", "/api/impact"],
  ["GET /api/settings", "/api/settings"],
  ["GET /api/writer", "/api/writer"],
  ["GET /api/writer", "/api/writer?provider=openai&model=m&baseUrl=http://127.0.0.1:9/v1&tokensPerDay=1000"],
  ["GET /api/jobs", "/api/jobs"],
  ["GET /api/health", "/api/health"],
  ["GET /api/logs", "/api/logs"],
  ["GET /api/logs/all", "/api/logs/all?lines=5"],
  ["GET /api/status", "/api/status"],
  ["POST /sessions/init", "/sessions/init", { sessionId: "ed", project: "editor", userPrompt: "Add a login" }],
  ["POST /sessions/:id/init", "/sessions/ed/init", { project: "editor", userPrompt: "Add a login", promptNumber: 1 }],
  [
    "POST /api/sessions/observations",
    "/api/sessions/observations",
    { claudeSessionId: "ed", tool_name: "FileSave", tool_input: { path: "/a" }, tool_response: "saved" },
  ],
  [
    "POST /api/sessions/summarize",
    "/api/sessions/summarize",
    { claudeSessionId: "ed", last_assistant_message: "Done." },
  ],
  ["POST /api/sessions/complete", "/api/sessions/complete", { contentSessionId: "ed", reason: "exit" }],
  ["POST /api/processing", "/api/processing", { isProcessing: false }],
  ["POST /api/observations/batch", "/api/observations/batch", { ids: ["o1", 2, "o999"] }],
  ["POST /api/observations/batch", "/api/observations/batch", { ids: "o1", orderBy: "date", limit: 3, project: "app" }],
  ["POST /api/observations", "/api/observations", { text: "Deploys go out on Tuesdays.", project: "app" }],
  [
    "POST /api/observations",
    "/api/observations",
    { text: "Never push on Fridays.", all: true, type: "decision", concepts: ["gotcha"], reason: "The team is away." },
  ],
  [
    "POST /api/observations",
    "/api/observations",
    { text: "Push on Fridays, too, never on Mondays.", all: true, type: "decision" },
  ],
  ["PATCH /api/observations/:id", "/api/observations/o1", { title: "Another title", facts: ["One."] }],
  ["PUT /api/observations/:id/pin", "/api/observations/o1/pin"],
  ["DELETE /api/observations/:id/pin", "/api/observations/o1/pin"],
  ["PUT /api/observations/:id/successor", "/api/observations/o1/successor", { by: "o2" }],
  ["DELETE /api/observations/:id/successor", "/api/observations/o1/successor"],
  ["PUT /api/items/:id/wrong", "/api/items/o1/wrong"],
  ["DELETE /api/items/:id/wrong", "/api/items/o1/wrong"],
  ["POST /api/forget", "/api/forget", { ids: ["o2"], dry_run: true }],
  ["POST /api/forget", "/api/forget", { ids: ["o2"] }],
  ["PUT /api/settings/:key", "/api/settings/contextTokens", { value: 1_500 }],
  ["DELETE /api/settings/:key", "/api/settings/contextTokens"],
  [
    "PUT /api/writer",
    "/api/writer",
    { provider: "openai", baseUrl: "http://127.0.0.1:9/v1", model: "m", usdPerDay: 0.5 },
  ],
  ["PUT /api/writer", "/api/writer", { provider: "none", baseUrl: "", model: "", usdPerDay: 1 }],
  ["POST /api/jobs/retry", "/api/jobs/retry", {}],
  ["POST /api/links", "/api/links"],
];

/** Operations that need the reply of another call. Other tests call them. */
const DEPENDENT = ["GET /api/forget/:token", "DELETE /api/forget/:token"];

/** The keys of an object's schema. */
const keysOf = (schema: z.ZodType | undefined): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape as object) : ["nothing"];
const nameOf = ({ method, path }: Route): string => `${method.toUpperCase()} ${path}`;
const routeOf = (name: string): Route => ROUTES.find((row) => nameOf(row) === name) as Route;

function expectFits(name: string, json: unknown): void {
  expect(z.safeParse(replyEnvelope(routeOf(name)), json).error?.issues).toBeUndefined();
}

describe("the API", () => {
  it("documents the operations that this file calls, and no others", async () => {
    const { json } = await world.get("/api/openapi.json");
    const { paths } = json as unknown as { paths: Record<string, Record<string, object>> };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
    );
    const called = new Set([...CALLS.map(([name]) => name), ...DEPENDENT, "GET /health", "GET /stream"]);
    expect([...called].toSorted()).toEqual(documented.toSorted());
  });

  it.each(CALLS)("answers %s (%s) according to its schema", async (name, path, body) => {
    const { status, json } = await world.send(name.split(" ")[0] ?? "", path, body);
    expect({ path, status, error: json.error }).toEqual({ path, status: 200, error: undefined });
    expectFits(name, json);
  });

  it("accepts `query` for `q` in a search", async () => {
    const found = async (path: string) => (await world.get(path)).json.data["results"] as { session_id: string }[];
    const [short, long] = [await found("/api/search?q=cache"), await found("/api/search?query=cache")];
    expect(short.length).toBeGreaterThan(0);
    expect(long.map(({ session_id }) => session_id)).toEqual(short.map(({ session_id }) => session_id));
  });

  it("returns the requested number of turns in each direction of a timeline", async () => {
    const shown = async (query: string) => {
      const { json } = await world.get(`/api/timeline?${query}`);
      const turns = json.data["results"] as { session_id: string; turn: number; is_anchor: boolean }[];
      const places = turns.map(({ session_id, turn, is_anchor }) => `${is_anchor ? ">" : ""}${session_id}/${turn}`);
      return { places, ...json.meta };
    };
    const prompts = (await world.get("/api/timeline?anchor=two")).json.data["results"] as { id: string }[];
    const middle = prompts[1]?.id ?? "";
    expect(await shown(`anchor=${middle}&depth_before=1&depth_after=0`)).toEqual({
      places: ["one/1", ">two/1"],
      depth: 1,
      depth_before: 1,
      depth_after: 0,
    });
    expect(await shown(`anchor=${middle}&depth_before=0&depth_after=1`)).toEqual({
      places: [">two/1", "two/2"],
      depth: 1,
      depth_before: 0,
      depth_after: 1,
    });
    expect(await shown(`anchor=${middle}&depth=1&depth_after=0`)).toEqual({
      places: ["one/1", ">two/1"],
      depth: 1,
      depth_before: 1,
      depth_after: 0,
    });
  });

  it("filters a timeline by observation type, except for the anchor", async () => {
    const shown = async (query: string) =>
      ((await world.get(`/api/timeline?anchor=two&${query}`)).json.data["results"] as { session_id: string }[]).map(
        ({ session_id }) => session_id,
      );
    expect(await shown("type=decision")).toEqual(["one", "two", "two"]);
    expect(await shown("type=refactor")).toEqual(["two", "two"]);
  });

  it("returns empty context for an unknown project", async () => {
    const text = await world.get("/api/context/inject?project=nowhere", { Accept: "text/plain" });
    expect([text.status, text.text]).toEqual([200, ""]);
    const { json } = await world.get("/api/context/inject?project=nowhere");
    expect(json.data).toEqual({ project: null, text: "", items: [], chars: 0, tokens: 0, stale: 0 });
  });

  it("accepts file names with commas, and rejects observations without a text", async () => {
    const files = ["docs/one, two.md", "src/cache.ts"];
    const { json } = await world.send("POST", "/api/observations", { text: "Commas are names too.", all: true, files });
    expect(json).toMatchObject({ data: { files, concepts: [] } });
    const emptied = await world.send("PATCH", `/api/observations/${String(json.data["id"])}`, { text: " " });
    expect(emptied.json.error.message).toBe("An observation needs a title and a text.");
  });

  it("delays a forget that can be undone", async () => {
    const wish = { ids: ["o1"], hold_seconds: 30 };
    const first = (await world.send("POST", "/api/forget", wish)).json;
    expectFits("POST /api/forget", first);
    const { token } = first.data["held"] as { token: string };
    const state = (await world.get(`/api/forget/${token}`)).json;
    expectFits("GET /api/forget/:token", state);
    expect(state.data).toEqual({ state: "held", receipt: null });
    const back = await world.send("DELETE", `/api/forget/${token}`);
    expectFits("DELETE /api/forget/:token", back.json);
    expect((await world.get("/api/observations/o1")).status).toBe(200);
    const again = (await world.send("POST", "/api/forget", { ...wish, hold_seconds: 1 })).json;
    const held = (again.data["held"] as { token: string }).token;
    await expect.poll(async () => (await world.get("/api/observations/o1")).status, { timeout: 30_000 }).toBe(404);
    const done = (await world.get(`/api/forget/${held}`)).json;
    expectFits("GET /api/forget/:token", done);
    expect(done.data).toMatchObject({ state: "done", receipt: { proof: { proven: true } } });
    expect((await world.send("DELETE", `/api/forget/${held}`)).json.error.code).toBe("too_late");
  });
});

describe("the OpenAPI document", () => {
  it("has version 3.1, unique operation ids and no broken references", async () => {
    const { json, text } = await world.get("/api/openapi.json");
    expect(json).toMatchObject({ openapi: "3.1.0", info: { title: "C-Mem" } });
    const ids = [...text.matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to);
    expect([...new Set(references)]).toEqual(["#/components/schemas/Error"]);
  });

  it("is also a page without scripts and external resources", async () => {
    const { text, headers } = await world.get("/api/docs");
    expect(headers.get("Content-Type")).toContain("text/html");
    for (const row of ROUTES) expect(text).toContain(row.path.replace(/:(\w+)/g, "{$1}"));
    expect(text).not.toMatch(/<script|<style|style=|https?:\/\/(?!127\.0\.0\.1)/);
    expect((await world.get("/api/docs.css")).status).toBe(200);
  });
});

describe("an error", () => {
  it.each([
    ["GET", "/api/search", undefined, 400, "usage"],
    ["GET", "/api/search?q=cache&query=other", undefined, 400, "usage"],
    ["GET", "/api/timeline?type=nonsense", undefined, 400, "usage"],
    ["GET", "/api/timeline?anchor=one&depth_before=-1", undefined, 400, "usage"],
    ["GET", "/api/timeline?anchor=one&depth_after=many", undefined, 400, "usage"],
    ["GET", "/api/timeline?anchor=o99999", undefined, 404, "nothing_found"],
    ["GET", "/api/search?q=cache&nonsense=1", undefined, 400, "usage"],
    ["GET", "/api/search?q=cache&since=yesterday", undefined, 400, "usage"],
    ["GET", "/api/search?q=cache&all=perhaps", undefined, 400, "usage"],
    ["GET", "/api/search?q=cache&limit=-1", undefined, 400, "usage"],
    ["GET", "/api/sessions?limit=99999999999999999999", undefined, 400, "usage"],
    ["GET", "/api/observations?offset=99999999999999999999", undefined, 400, "usage"],
    ["GET", "/api/logs?lines=99999999999999999999", undefined, 400, "usage"],
    ["GET", "/api/search?q=zzzzqqqq", undefined, 404, "nothing_found"],
    ["GET", "/api/sessions?project=nowhere", undefined, 404, "nothing_found"],
    ["GET", "/api/sessions/zzz", undefined, 404, "nothing_found"],
    ["GET", "/api/sessions/zzz/transcript", undefined, 404, "nothing_found"],
    ["GET", "/api/sessions/one/transcript?from=-4", undefined, 400, "usage"],
    ["GET", "/api/sessions/zzz/outline", undefined, 404, "nothing_found"],
    ["GET", "/api/sessions/zzz/items?ids=p1", undefined, 404, "nothing_found"],
    ["GET", "/api/sessions/zzz/find?q=x", undefined, 404, "nothing_found"],
    ["GET", "/api/observations/o99999", undefined, 404, "nothing_found"],
    ["GET", "/api/observations/seven", undefined, 400, "usage"],
    ["GET", "/api/context/inject", undefined, 400, "usage"],
    ["GET", "/api/context/inject?project=app&contextTokens=1", undefined, 400, "usage"],
    ["GET", "/api/export/one?format=exe", undefined, 400, "usage"],
    // The command line accepts words for a session. A program with a wrong id must not receive another session.
    ["GET", "/api/export/cache", undefined, 404, "nothing_found"],
    ["GET", "/api/resume/cache", undefined, 404, "nothing_found"],
    ["GET", "/api/fix", undefined, 400, "usage"],
    ["GET", "/api/fix?error=zzzz%20qqqq", undefined, 404, "nothing_found"],
    ["GET", "/api/how", undefined, 400, "usage"],
    ["GET", "/api/how?q=zzzzqqqq", undefined, 404, "nothing_found"],
    ["GET", "/api/nowhere", undefined, 404, "nothing_found"],
    ["POST", "/sessions/init", "{ not json", 400, "usage"],
    ["POST", "/sessions/init", { project: "x", prompt: "without a session" }, 400, "usage"],
    ["POST", "/sessions/init", { sessionId: "nowhere", prompt: "without a place" }, 400, "usage"],
    ["POST", "/sessions/init", { sessionId: "s", cwd: "relative/path", prompt: "hello" }, 400, "usage"],
    ["POST", "/sessions/init", { sessionId: "s", cwd: "/tmp", prompt: " " }, 400, "usage"],
    ["POST", "/sessions/init", { sessionId: "s", cwd: "/tmp", prompt: "hi", agent: "No Such\nAgent" }, 400, "usage"],
    ["POST", "/api/sessions/observations", { sessionId: "s", cwd: "/tmp" }, 400, "usage"],
    ["POST", "/api/observations", { text: "<private>all of it</private>", project: "app" }, 400, "usage"],
    ["POST", "/api/observations", { text: "For whom?" }, 400, "usage"],
    ["POST", "/api/observations", { text: "x", type: "nonsense", project: "app" }, 400, "usage"],
    ["PATCH", "/api/observations/o99999", { title: "x" }, 404, "nothing_found"],
    ["PUT", "/api/observations/o99999/pin", undefined, 404, "nothing_found"],
    ["PUT", "/api/observations/o3/successor", { by: "o3" }, 400, "usage"],
    ["DELETE", "/api/observations/o3/successor", undefined, 404, "nothing_found"],
    ["POST", "/api/forget", { ids: [] }, 400, "usage"],
    ["POST", "/api/forget", { ids: ["o3"], hold_seconds: 100_000 }, 400, "usage"],
    ["GET", "/api/forget/nothing", undefined, 404, "nothing_found"],
    ["DELETE", "/api/forget/nothing", undefined, 404, "nothing_found"],
    ["PUT", "/api/settings/contextTokens", { value: -5 }, 400, "usage"],
    ["PUT", "/api/settings/contextTokens", { value: { $ne: 1 } }, 400, "usage"],
    ["PUT", "/api/settings/__proto__", { value: 1 }, 400, "usage"],
    ["PUT", "/api/settings/provider", { value: "evil" }, 400, "usage"],
    ["PUT", "/api/settings/excludePaths", { value: [1, 2] }, 400, "usage"],
    ["PUT", "/api/settings/contextTokens", {}, 400, "usage"],
    ["POST", "/api/jobs/retry", { key: "nothing" }, 404, "nothing_found"],
  ] as const)("of %s %s %j is %i %s", async (method, path, body, status, code) => {
    const reply = await world.send(method, path, body);
    expect({ status: reply.status, code: reply.json.error?.code }).toEqual({ status, code });
    expect(z.safeParse(errorEnvelope(), reply.json).error?.issues).toBeUndefined();
    // Messages of the API name parameters, not command-line options.
    const { message, hint = "" } = reply.json.error as { message: string; hint?: string };
    expect(`${message} ${hint}`.replace(/`[^`]*`/g, "")).not.toMatch(/(?<![\w-])--[a-z]/);
  });

  it("names the parameters of the API", async () => {
    const { json } = await world.get("/api/sessions?since=2030-01-01");
    expect(json.error).toMatchObject({
      hint: "Widen `since` or `agent`, or `c-mem sync` to import earlier sessions.",
    });
  });

  it("is not returned for items of another session: they are omitted", async () => {
    const ids = async (session: string): Promise<string[]> =>
      ((await world.get(`/api/sessions/${session}/outline`)).json.data["results"] as [string][]).map(([id]) => id);
    const [one, two] = [await ids("one"), await ids("two")];
    expect([one.length, two.length].every((length) => length > 0)).toBe(true);
    const { json } = await world.get(`/api/sessions/one/items?ids=${[...one, ...two].join(",")}`);
    const given = (json.data["results"] as { id: string }[]).map(({ id }) => id);
    expect(given.toSorted()).toEqual(one.toSorted());
  });

  it("is never internal, for any input", async () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "o1",
        "p1",
        "one",
        "last",
        "-1",
        "1e999",
        "99999999999999999999",
        "' OR 1=1 --",
        '"*',
        "%",
        "..",
        "\0",
        "3d",
      ),
    );
    const value = fc.oneof(hostile, fc.jsonValue({ maxDepth: 2 }));
    const call = fc.constantFrom(...ROUTES).chain((row) =>
      fc.record({
        name: fc.constant(nameOf(row)),
        part: hostile,
        query: fc.dictionary(fc.constantFrom("nothing", ...Object.keys(row.fields ?? {})), hostile, { maxKeys: 4 }),
        body: fc.dictionary(fc.constantFrom(...keysOf(row.body)), value, { maxKeys: 5 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(call, async ({ name, part, query, body }) => {
        const row = routeOf(name);
        const path = row.path.replace(/:\w+/g, encodeURIComponent(part.toWellFormed()) || "x");
        const search = new URLSearchParams(query).toString();
        const sent = row.method === "get" || row.body === undefined ? undefined : body;
        const { status, json } = await world.send(row.method.toUpperCase(), `${path}?${search}`, sent);
        expect({ path, search, body, status: status < 500, error: status < 500 ? undefined : json.error }).toEqual({
          path,
          search,
          body,
          status: true,
        });
      }),
      { numRuns: 600 },
    );
    expect(world.logged).toEqual([]);
  });

  it("does not show the message of a bug", async () => {
    const failing = world.host.store.use;
    world.host.store.use = () => {
      throw new TypeError("secret words");
    };
    const { status, json, text } = await world.get("/api/projects");
    world.host.store.use = failing;
    expect([status, json.error.code]).toEqual([500, "internal"]);
    expect(text).not.toContain("secret words");
    expect(world.logged.join("\n")).toContain("secret words");
  });
});

describe("the stream", () => {
  const open = async (lastEventId?: string) => {
    const headers = { Host: "127.0.0.1:37777", ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }) };
    const { url } = (await world.send("POST", "/api/links")).json.data as { url: string };
    const link = await world.app.request(url, { headers });
    const cookie = link.headers.get("Set-Cookie")?.split(";")[0] ?? "";
    const response = await world.app.request("/stream", { headers: { ...headers, Cookie: cookie } });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const read = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
    return { response, reader, read };
  };

  it("starts with the state of the queue and an id for resuming", async () => {
    const { response, reader, read } = await open();
    expect(response.headers.get("Content-Type")).toContain("text/event-stream");
    expect(await read()).toMatch(/^retry: 2000\nid: (?:[a-z]\d+){6}\nevent: processing_status\ndata: \{.*\}\n\n$/);
    await reader.cancel();
    expect(world.host.live.count()).toBe(0);
  });

  it.each(["nonsense", "s9999999p0t0o0u0e0"])("sends a reset if it cannot resume from %s", async (id) => {
    const { reader, read } = await open(id);
    expect(await read()).toContain("event: processing_status");
    expect(await read()).toMatch(/event: reset\ndata: \{\}/);
    await reader.cancel();
  });

  it("sends new rows of the database, and edits by users", async () => {
    const { reader, read } = await open();
    await read();
    await world.send("POST", "/api/observations", { text: "Logs are kept for a week.", project: "app" });
    const created = await read();
    expect(created).toMatch(/event: observation\n/);
    const { id } = JSON.parse(/^data: (.*)$/m.exec(created)?.[1] ?? "") as { id: string };
    await world.send("PUT", `/api/observations/${id}/pin`);
    expect(await read()).toContain('"change":"edited"');
    await world.send("POST", "/api/forget", { ids: [id] });
    expect(await read()).toContain("event: forgotten");
    await reader.cancel();
  });

  it("sends all rows of a large transaction", async () => {
    const { reader, read } = await open();
    const first = await read();
    const id = /^id: (.*)$/m.exec(first)?.[1];
    world.db.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
       INSERT INTO tool_uses (session_db_id, prompt_number, tool_use_id, name, input, is_error, created_at)
       SELECT 1, 1, 'bulk' || i, 'Bash', '{}', 0, ? FROM n`,
      Date.now(),
    );
    const uses = (text: string): number => text.split("event: tool_use\n").length - 1;
    let told = 0;
    while (told < 2500) told += uses(await read());
    expect(told).toBe(2500);
    await reader.cancel();
    const again = await open(id);
    told = 0;
    while (told < 2500) told += uses(await again.read());
    expect(told).toBe(2500);
    await again.reader.cancel();
  });

  it("disconnects a client whose queue is full", async () => {
    const { reader } = await open();
    const words = "x".repeat(1_000_000);
    for (let times = 0; times < 6; times++) world.host.live.broadcast("processing_status", { words });
    expect(world.host.live.count()).toBe(0);
    await reader.cancel();
  });
});
