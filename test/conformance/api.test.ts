// The API as it is documented: every operation is called, and every reply fits its schema.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { Route } from "../../src/server/route.ts";
import { ROUTES } from "../../src/server/table.ts";
import { type ApiWorld, createApiWorld } from "./api-world.ts";

let world: ApiWorld;

beforeAll(() => {
  world = createApiWorld();
});

afterAll(() => world.close());

/** At least one call of every operation that succeeds, in an order in which they do. */
const CALLS: [operation: string, path: string, body?: object][] = [
  ["GET /api/context/inject", "/api/context/inject?project=app"],
  ["GET /api/context/inject", "/api/context/inject?project=app&contextTokens=300&contextTypes=decision"],
  ["GET /api/search", "/api/search?q=cache"],
  ["GET /api/search", "/api/search?q=cach&all&limit=1"],
  ["GET /api/search", "/api/search?q=sqlite&kind=prompt&project=app"],
  ["GET /api/timeline", "/api/timeline"],
  ["GET /api/timeline", "/api/timeline?anchor=one&depth=2"],
  ["GET /api/sessions", "/api/sessions"],
  ["GET /api/sessions", "/api/sessions?limit=1&offset=1&agent=claude-code"],
  ["GET /api/sessions/:id", "/api/sessions/one"],
  ["GET /api/sessions/:id", "/api/sessions/two"],
  ["GET /api/sessions/:id", "/api/sessions/agent-helper1"],
  ["GET /api/sessions/:id/transcript", "/api/sessions/one/transcript"],
  ["GET /api/sessions/:id/transcript", "/api/sessions/one/transcript?from=2&limit=3"],
  ["GET /api/sessions/:id/transcript", "/api/sessions/two/transcript?around=t5"],
  ["GET /api/sessions/:id/transcript", "/api/sessions/agent-helper1/transcript"],
  ["GET /api/export/:id", "/api/export/one"],
  ["GET /api/export/:id", "/api/export/one?format=json&tools"],
  ["GET /api/related/:id", "/api/related/two"],
  ["GET /api/observations", "/api/observations"],
  ["GET /api/observations", "/api/observations?q=cache"],
  ["GET /api/observations", "/api/observations?superseded=1&limit=2&offset=1"],
  ["GET /api/observations/:id", "/api/observations/o1"],
  ["GET /api/files", "/api/files?path=src/cache.ts"],
  ["GET /api/files", "/api/files?path=src/other.ts&reads=1"],
  ["GET /api/efforts", "/api/efforts"],
  ["GET /api/efforts/:id", "/api/efforts/two"],
  ["GET /api/projects", "/api/projects"],
  ["GET /api/stats", "/api/stats"],
  ["GET /api/stats", "/api/stats?project=app"],
  ["GET /api/cost", "/api/cost"],
  ["GET /api/impact", "/api/impact"],
  ["GET /api/settings", "/api/settings"],
  ["GET /api/jobs", "/api/jobs"],
  ["GET /api/health", "/api/health"],
  ["GET /api/logs", "/api/logs"],
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
  ["POST /api/observations", "/api/observations", { text: "Deploys go out on Tuesdays.", project: "app" }],
  [
    "POST /api/observations",
    "/api/observations",
    { text: "Never push on Fridays.", all: true, type: "decision", concepts: ["gotcha"] },
  ],
  ["PATCH /api/observations/:id", "/api/observations/o1", { title: "Another title", facts: ["One."] }],
  ["PUT /api/observations/:id/pin", "/api/observations/o1/pin"],
  ["DELETE /api/observations/:id/pin", "/api/observations/o1/pin"],
  ["PUT /api/observations/:id/successor", "/api/observations/o1/successor", { by: "o2" }],
  ["DELETE /api/observations/:id/successor", "/api/observations/o1/successor"],
  ["POST /api/forget", "/api/forget", { ids: ["o2"], dry_run: true }],
  ["POST /api/forget", "/api/forget", { ids: ["o2"] }],
  ["PUT /api/settings/:key", "/api/settings/contextTokens", { value: 1_500 }],
  ["DELETE /api/settings/:key", "/api/settings/contextTokens"],
  ["POST /api/jobs/retry", "/api/jobs/retry", {}],
  ["POST /api/links", "/api/links"],
];

/** Called with what another call has answered. */
const FOLLOWING = ["GET /api/forget/:token", "DELETE /api/forget/:token"];

const nameOf = ({ method, path }: Route): string => `${method.toUpperCase()} ${path}`;
const routeOf = (name: string): Route => ROUTES.find((row) => nameOf(row) === name) as Route;

function expectFits(name: string, json: unknown): void {
  const { data, meta } = routeOf(name).reply();
  const envelope = z.strictObject({
    schema_version: z.literal(1),
    command: z.literal(routeOf(name).command),
    data,
    meta: meta ?? z.strictObject({}),
  });
  expect(z.safeParse(envelope, json).error?.issues).toBeUndefined();
}

describe("every operation", () => {
  it("is called here", () => {
    const called = new Set([...CALLS.map(([name]) => name), ...FOLLOWING]);
    expect([...called].toSorted()).toEqual(ROUTES.map(nameOf).toSorted());
  });

  it.each(CALLS)("%s answers %s as its schema says", async (name, path, body) => {
    const { status, json } = await world.send(name.split(" ")[0] ?? "", path, body);
    expect({ path, status, error: json.error }).toEqual({ path, status: 200, error: undefined });
    expectFits(name, json);
  });

  it("holds a forgetting that can be taken back, and carries it out otherwise", async () => {
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
    await expect.poll(async () => (await world.get("/api/observations/o1")).status, { timeout: 5_000 }).toBe(404);
    const done = (await world.get(`/api/forget/${held}`)).json;
    expectFits("GET /api/forget/:token", done);
    expect(done.data).toMatchObject({ state: "done", receipt: { proof: { proven: true } } });
    expect((await world.send("DELETE", `/api/forget/${held}`)).json.error.code).toBe("too_late");
  });
});
