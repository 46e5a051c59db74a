// Failures of the model and of the worker at every step: nothing is lost, and no reply is paid for twice.
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../conformance/model-request.ts";
import type { Scene } from "../conformance/scenes.ts";
import { sessionReply, turnsReply } from "../conformance/scripted-replies.ts";
import { ended, prompt, touch } from "../seed.ts";
import {
  configure,
  createModelWorld,
  type KillAfter,
  MINUTE,
  type ModelWorld,
  record,
  requestsTo,
  runWorker,
  type Script,
  stored,
} from "./model-world.ts";

type Step = "turns" | "session";
const STEPS: readonly Step[] = ["turns", "session"];
const TITLE = { turns: "add() in src/add.ts adds its numbers", session: "add() adds again" } as const;

function goodReply(request: ModelRequest): Scene {
  if (request.purpose === "session") {
    const summary = { completed: "src/add.ts was fixed.", open: [], handover: ["Look at src/add.ts first."] };
    return sessionReply(request, { title: TITLE.session, ...summary });
  }
  const note = { type: "bugfix", title: TITLE.turns, narrative: "The function add() subtracted its numbers before." };
  return turnsReply(request, () => ({ notes: [note], completed: "The function add() adds." }));
}

/** A session of one turn that ended twenty minutes ago. The model fails once in a step, then answers. */
async function worldFailingAt(step: Step, scene: Scene | Script): Promise<ModelWorld> {
  let hasFailed = false;
  const world = await createModelWorld((request, current) => {
    if (hasFailed || request.purpose !== step) return goodReply(request);
    hasFailed = true;
    return typeof scene === "function" ? scene(request, current) : scene;
  });
  const start = Date.now() - 30 * MINUTE;
  record(world, "s", [
    { at: start, activity: prompt("Why does add() in src/add.ts return the wrong number? Please fix it.") },
    { at: start + MINUTE, activity: touch("src/add.ts") },
    { at: start + 2 * MINUTE, activity: ended("The function add() subtracted its numbers. It adds them now.") },
    { at: start + 3 * MINUTE, activity: { kind: "session-end", reason: "exit" } },
  ]);
  return world;
}

/** Who wrote the memory that is current: of the turn, and of the session. */
function writers(world: ModelWorld): Record<Step, string> {
  const rows = stored<{ prompt_number: number; producer: string }>(
    world,
    "SELECT prompt_number, producer FROM summaries WHERE is_current = 1 ORDER BY prompt_number",
  );
  expect(rows.map((row) => row.prompt_number)).toEqual([0, 1]);
  const nameOf = (index: number): string => (rows[index]?.producer === "extractor" ? "extractor" : "model");
  return { session: nameOf(0), turns: nameOf(1) };
}

const requestsOf = (world: ModelWorld, step: Step): number =>
  requestsTo(world).filter(({ purpose }) => purpose === step).length;

const ledgerOf = (world: ModelWorld): string[] =>
  stored<{ entry: string }>(world, "SELECT purpose || ' ' || status AS entry FROM ledger ORDER BY id").map(
    ({ entry }) => entry,
  );

/** Each request has its row in the ledger, and each answer was paid for once. */
function expectBooked(world: ModelWorld): void {
  const ledger = ledgerOf(world);
  expect(ledger).toHaveLength(requestsTo(world).length);
}

const BOTH = { turns: "model", session: "model" };

describe.each(STEPS)("in a request about %s", (step) => {
  it.each<[string, Scene]>([
    ["a rate limit", { kind: "status", status: 429, headers: { "retry-after": "90" } }],
    ["nonsense", { kind: "nonsense" }],
    ["a lost connection", { kind: "reset" }],
    ["silence", { kind: "silence" }],
  ])("%s delays the model's version, and the extractor's is used until then", async (_, scene) => {
    const world = await worldFailingAt(step, scene);
    if (scene.kind === "silence") configure(world, "openai", { modelTimeoutSeconds: 1 });
    await runWorker(world);
    configure(world, "openai");
    expect(writers(world)).toEqual({ ...BOTH, session: "extractor", ...(step === "turns" && { turns: "extractor" }) });
    expect(requestsOf(world, step)).toBe(1);
    await runWorker(world, { at: Date.now() + 20 * MINUTE });
    expect(writers(world)).toEqual(BOTH);
    expect([requestsOf(world, "turns"), requestsOf(world, "session")]).toEqual([
      step === "turns" ? 2 : 1,
      step === "session" ? 2 : 1,
    ]);
    expectBooked(world);
  });

  it.each<[string, Scene]>([
    ["a refusal", { kind: "refusal" }],
    ["a truncated reply", { kind: "truncated" }],
  ])("%s is not repeated: the extractor's version stays", async (_, scene) => {
    const world = await worldFailingAt(step, scene);
    await runWorker(world);
    await runWorker(world, { at: Date.now() + 20 * MINUTE });
    expect(writers(world)).toEqual({ ...BOTH, [step]: "extractor" });
    expect([requestsOf(world, "turns"), requestsOf(world, "session")]).toEqual([1, 1]);
    expectBooked(world);
    expect(stored(world, "SELECT * FROM model_turns WHERE failed_at IS NULL")).toEqual([]);
  });

  it("words instead of JSON are sent back once", async () => {
    const world = await worldFailingAt(step, { kind: "words", text: "Sure! I took notes." });
    await runWorker(world);
    expect(writers(world)).toEqual(BOTH);
    expect(requestsOf(world, step)).toBe(2);
    expectBooked(world);
  });

  it("a worker that is killed during the request leaves it to the next worker", async () => {
    const world = await worldFailingAt(step, (_, { worker }) => {
      worker?.kill("SIGKILL");
      return { kind: "silence" };
    });
    expect(await runWorker(world)).toBe("SIGKILL");
    await runWorker(world, { at: Date.now() + MINUTE });
    expect(writers(world)).toEqual(BOTH);
    expect(requestsOf(world, step)).toBe(2);
    expectBooked(world);
    // The killed request may have been billed: its reservation counts until it expires.
    expect(ledgerOf(world).filter((entry) => entry === `${step} reserved`)).toHaveLength(1);
  });

  it.each<[KillAfter["stored"]]>([["reply"], ["memory"]])(
    "a worker that is killed after it stored the %s does not repeat the request",
    async (what) => {
      const world = await worldFailingAt(step, goodReply);
      expect(await runWorker(world, { killAfter: { stored: what, count: STEPS.indexOf(step) + 1 } })).toBe("SIGKILL");
      for (let round = 1; round <= 2; round++) await runWorker(world, { at: Date.now() + round * MINUTE });
      expect(writers(world)).toEqual(BOTH);
      expect([requestsOf(world, "turns"), requestsOf(world, "session")]).toEqual([1, 1]);
      expect(ledgerOf(world)).toEqual(["turns spent", "session spent"]);
      expect(stored(world, "SELECT * FROM model_replies")).toEqual([]);
    },
  );
});
