// The memory that a model writes, from the hooks to the next session's context, with scripted models.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { localDay } from "../../src/core/time.ts";
import type { ModelRequest } from "../conformance/model-request.ts";
import type { Scene } from "../conformance/scenes.ts";
import { answer, type ScriptedTurn, sessionReply, turnsReply } from "../conformance/scripted-replies.ts";
import type { Activity } from "../../src/core/event.ts";
import { PLANTED_INSTRUCTIONS } from "../security/planted-instructions.ts";
import { bash, ended, prompt, touch } from "../seed.ts";
import { contextOf, data, hook, run } from "./harness.ts";
import {
  clockAt,
  createModelWorld,
  execute,
  MINUTE,
  type ModelWorld,
  record,
  requestsTo,
  runWorker,
  stored,
} from "./model-world.ts";

interface Turn extends ScriptedTurn {
  prompt: string;
  work: Activity[];
  last: string;
}

const RATES = {
  type: "discovery",
  title: "src/rates.ts adds 0.90 per kilogram to a base fee of 4.20",
  narrative: "The base fee of 4.20 covers the first kilogram.",
};

/** A session about a command that computes what a parcel costs. */
const TURNS: readonly Turn[] = [
  {
    prompt: "How are parcel rates computed here?",
    work: [bash("cat src/rates.ts", "export const rate = (kg) => 4.20 + 0.90 * kg;")],
    last: "src/rates.ts computes them: a base fee of 4.20 covers the first kilogram, plus 0.90 per kilogram.",
    notes: [RATES],
    completed: "The formula in src/rates.ts was explained.",
  },
  {
    prompt: "Add a surcharge for islands.",
    work: [touch("src/rates.ts")],
    last: "src/rates.ts adds 6.50 for islands now. Still to do: write a test for the island surcharge.",
    notes: [{ type: "feature", title: "Islands cost 6.50 more", narrative: "src/rates.ts adds the surcharge." }],
    completed: "src/rates.ts adds 6.50 for islands.",
    nextSteps: "Write a test for the island surcharge",
  },
  {
    prompt: "From now on, indent with tabs in this project.",
    work: [touch("src/rates.ts")],
    last: "I indent with tabs from now on, and converted src/rates.ts.",
    notes: [
      {
        type: "decision",
        title: "Indent with tabs in this project",
        narrative: "The user wants tabs from now on.",
        quote: "From now on, indent with tabs in this project",
      },
    ],
    completed: "src/rates.ts is indented with tabs.",
  },
  {
    prompt: "Why does npm test fail?",
    work: [bash("npm test", "TypeError: weight.toFixed is not a function", 1), touch("src/weight.ts")],
    last: "parseWeight() in src/weight.ts returned a string. It returns a number now.",
    notes: [
      {
        type: "bugfix",
        title: "parseWeight() in src/weight.ts returned a string",
        narrative: "Tests failed with a TypeError: weight.toFixed is not a function. It returns a number now.",
      },
    ],
    completed: "parseWeight() returns a number.",
  },
  {
    prompt: "Which service knows the postcodes of islands?",
    work: [bash("cat docs/services.md", "postcodes: http://localhost:7070")],
    last: "The postcode service at localhost:7070 knows them.",
    notes: [{ type: "discovery", title: "The postcode service is at localhost:7070", narrative: "It knows islands." }],
    completed: "The service was found.",
  },
  {
    prompt: "Write that test for the island surcharge.",
    work: [touch("test/rates.test.ts", "create"), bash("npm test", "9 passed")],
    last: "test/rates.test.ts covers the island surcharge. 9 tests pass.",
    notes: [
      { type: "change", title: "test/rates.test.ts covers the island surcharge", narrative: "9 tests pass with it." },
    ],
    completed: "The test for the island surcharge passes.",
    closes: /island surcharge/,
  },
  {
    prompt: "I changed my mind: indent with two spaces in this project, not with tabs.",
    work: [touch("src/rates.ts"), touch("src/weight.ts")],
    last: "Both files are indented with two spaces now.",
    notes: [
      {
        type: "decision",
        title: "Indent with two spaces in this project, not with tabs",
        narrative: "The user changed their mind about tabs.",
        quote: "indent with two spaces in this project, not with tabs",
        replaces: /indent with tabs/i,
      },
    ],
    completed: "src/rates.ts and src/weight.ts are indented with two spaces.",
  },
  {
    prompt: "Remind me how the rates are computed.",
    work: [bash("cat src/rates.ts", "export const rate = (kg) => 4.20 + 0.90 * kg;")],
    last: "As before: src/rates.ts adds 0.90 per kilogram to a base fee of 4.20.",
    notes: [RATES],
    completed: "The formula was repeated.",
  },
  {
    prompt: "Move the fees into a table.",
    work: [touch("src/fees.ts", "create"), touch("src/rates.ts")],
    last: "All fees are in src/fees.ts now, and src/rates.ts reads them.",
    notes: [{ type: "refactor", title: "All fees are in src/fees.ts", narrative: "src/rates.ts reads them." }],
    completed: "src/fees.ts has all fees.",
  },
  {
    prompt: "Describe the surcharge in the documentation.",
    work: [touch("docs/rates.md")],
    last: "docs/rates.md describes the surcharge for islands.",
    notes: [{ type: "change", title: "docs/rates.md describes the surcharge", narrative: "It is about islands." }],
    completed: "docs/rates.md was extended.",
  },
  {
    prompt: "Does it work for a parcel without a weight?",
    work: [bash("node cli.js", "Error: weight is missing", 1)],
    last: "No: cli.js ends with 'weight is missing', which is right, because the service rejects such parcels.",
    notes: [
      { type: "discovery", title: "cli.js rejects parcels without a weight", narrative: "It says: weight is missing." },
    ],
    completed: "The behaviour was checked.",
  },
  {
    prompt: "Commit it.",
    work: [bash('git commit -am "Add an island surcharge"', "[main abc1234] Add an island surcharge")],
    last: "Committed as abc1234. Still to do: push the branch.",
    notes: [{ type: "change", title: "The surcharge is committed as abc1234", narrative: "It is not pushed." }],
    completed: "Committed as abc1234.",
    nextSteps: "Push the branch",
  },
];

const SESSION = {
  title: "Parcels to islands cost 6.50 more; fees are in src/fees.ts",
  completed: "src/rates.ts adds 6.50 for islands, with a test in test/rates.test.ts.",
  open: ["Push the branch"],
  handover: [
    "The branch with commit abc1234 is not pushed yet.",
    "All fees are in src/fees.ts; src/rates.ts only reads them.",
    "parseWeight() must return a number: a string broke npm test with a TypeError.",
    "The postcode service at localhost:7070 knows the islands.",
  ],
};

const START = Date.now() - 180 * MINUTE;
const endOf = (turn: number): number => START + turn * 5 * MINUTE - 2 * MINUTE;

function recordTurn(world: ModelWorld, turn: number): void {
  const { prompt: text, work, last } = TURNS[turn - 1] as Turn;
  const activities = [prompt(text), ...work, ended(last)];
  const start = endOf(turn) - 2 * MINUTE;
  record(
    world,
    "parcels",
    activities.map((activity, index) => ({ activity, at: start + (index * 2 * MINUTE) / (activities.length - 1) })),
  );
}

const scripted = (request: ModelRequest) =>
  request.purpose === "session"
    ? sessionReply(request, SESSION)
    : turnsReply(request, (turn) => TURNS[turn - 1] as Turn);

describe("a session of twelve turns", () => {
  it("gets one title, one summary, no duplicate, and a handover that leads the next session's context", async () => {
    const world = await createModelWorld(scripted, { provider: "claude" });
    for (let turn = 1; turn <= TURNS.length; turn++) {
      recordTurn(world, turn);
      // The worker runs after some turns: some wait for others, and share their request.
      if ([1, 5].includes(turn)) await runWorker(world, { at: endOf(turn) + MINUTE });
    }
    record(world, "parcels", [{ at: endOf(12) + MINUTE, activity: { kind: "session-end", reason: "exit" } }]);
    await runWorker(world, { at: endOf(12) + 2 * MINUTE });

    const requests = requestsTo(world);
    expect(requests.filter(({ purpose }) => purpose === "turns").flatMap(({ turns }) => turns)).toEqual(
      TURNS.map((_, index) => index + 1),
    );
    expect(requests.map(({ purpose }) => purpose)).toEqual(["turns", "turns", "session"]);

    const notes = stored<{ id: number; title: string; producer: string; superseded: number }>(
      world,
      `SELECT id, title, producer, superseded_by IS NOT NULL AS superseded FROM observations
       WHERE is_current = 1 ORDER BY prompt_number, id`,
    );
    const written = [...new Set(TURNS.flatMap((turn) => turn.notes.map(({ title }) => title)))];
    expect(notes.map(({ title }) => title)).toEqual(written);
    expect(new Set(notes.map(({ producer }) => producer))).toEqual(new Set(["claude/haiku"]));
    expect(notes.filter(({ superseded }) => superseded === 1).map(({ title }) => title)).toEqual([
      "Indent with tabs in this project",
    ]);
    const rule = `o${notes.find(({ superseded }) => superseded === 1)?.id}`;
    expect((await run(world, ["show", rule])).stdout.replaceAll(/\s+/g, " ")).toContain(
      `(decided by claude/haiku; undo: c-mem supersede ${rule} --undo)`,
    );

    expect(stored(world, "SELECT title FROM sessions")).toEqual([{ title: SESSION.title }]);
    expect(
      stored(world, "SELECT title, completed, next_steps FROM summaries WHERE prompt_number = 0 AND is_current = 1"),
    ).toEqual([{ title: SESSION.title, completed: SESSION.completed, next_steps: SESSION.open.join("\n") }]);
    expect(stored(world, "SELECT producer FROM closed_steps")).toEqual([{ producer: "claude/haiku" }]);

    const context = await startNextSession(world);
    const lines = context.split("\n").filter((line) => line.startsWith("- "));
    for (const [index, line] of SESSION.handover.entries()) expect(lines[index]).toContain(line);
    expect(context).not.toContain("a test for the island surcharge");
    expect(context).not.toMatch(/indent with tabs in this project/i);
  });
});

async function startNextSession(world: ModelWorld): Promise<string> {
  const payload = { session_id: "next", hook_event_name: "SessionStart", source: "startup" };
  return contextOf(await hook(world, "context", payload, { env: clockAt(world, Date.now()) }));
}

const FIX: Turn = {
  prompt: "The flaky loader in src/loader.ts fails sometimes. Please repair it.",
  work: [touch("src/loader.ts")],
  last: "I repaired the flaky loader in src/loader.ts: it waits for the file now.",
  notes: [{ type: "bugfix", title: "The flaky loader waits for the file", narrative: "See src/loader.ts." }],
  completed: "The flaky loader in src/loader.ts was repaired.",
};

const fixed = (request: ModelRequest): Scene => {
  const session = { title: "The flaky loader waits", completed: FIX.completed, open: [], handover: [HONEST] };
  return request.purpose === "session" ? sessionReply(request, session) : turnsReply(request, () => FIX);
};

/** A session of one turn, in which tools print these texts. */
function recordFix(world: ModelWorld, outputs: readonly string[] = [], last = FIX.last): void {
  const at = Date.now() - 30 * MINUTE;
  const printed = outputs.map((output, index) => bash(`cat docs/note-${index}.md`, output));
  const activities = [prompt(FIX.prompt), ...printed, ...FIX.work, ended(last)];
  record(world, "fix", [
    ...activities.map((activity, index) => ({ at: at + index * 1_000, activity })),
    { at: at + MINUTE, activity: { kind: "session-end", reason: "exit" } },
  ]);
}

describe("a session whose last turn never ended", () => {
  it("gets its handover after half an hour, which leads the next session's context", async () => {
    const world = await createModelWorld(fixed);
    const start = Date.now() - 40 * MINUTE;
    const activities = [
      prompt(FIX.prompt),
      ...FIX.work,
      ended(FIX.last),
      prompt("Now the same for the writer."),
      ...FIX.work,
    ];
    record(
      world,
      "fix",
      activities.map((activity, index) => ({ at: start + index * MINUTE, activity })),
    );
    await runWorker(world, { at: start + 20 * MINUTE });
    expect(requestsTo(world).map(({ purpose }) => purpose)).toEqual(["turns"]);
    await runWorker(world);
    expect(requestsTo(world).map(({ purpose }) => purpose)).toEqual(["turns", "session"]);
    expect(await startNextSession(world)).toContain(`The flaky loader waits. (#fix)\n- ${HONEST}`);
  });
});

describe("when today's budget is used up", () => {
  it("turns and sessions wait, and are sent the next day", async () => {
    const world = await createModelWorld(fixed);
    recordFix(world);
    await run(world, ["projects"]);
    execute(
      world,
      `INSERT INTO ledger (day, project_id, provider, model, purpose, request_hash, status, input_tokens, output_tokens,
         cost_microusd, created_at)
       VALUES ('${localDay(Date.now())}', 1, 'openai', 'scripted', 'turns', 'h', 'spent', 999999, 1, 0, ${Date.now()})`,
    );
    await runWorker(world);
    expect(requestsTo(world)).toEqual([]);
    expect(stored(world, "SELECT DISTINCT producer FROM summaries")).toEqual([{ producer: "extractor" }]);
    expect(stored(world, "SELECT count(*) AS n FROM model_turns")).toEqual([{ n: 1 }]);

    await runWorker(world, { at: Date.now() + 24 * 60 * MINUTE });
    expect(requestsTo(world).map(({ purpose }) => purpose)).toEqual(["turns", "session"]);
    expect(stored(world, "SELECT title FROM sessions")).toEqual([{ title: "The flaky loader waits" }]);
    expect(stored(world, "SELECT status FROM ledger WHERE request_hash <> 'h' AND status <> 'declined'")).toEqual([
      { status: "spent" },
      { status: "spent" },
    ]);
  });
});

const HONEST = "The flaky loader in src/loader.ts waits for the file";

/** A model that repeats each instruction in every field, beside one honest note. */
function gullible(request: ModelRequest, instructions: readonly string[]): Scene {
  const text = instructions.join("\n");
  const evidence = [...new Set(request.pieces.map(({ id }) => id))];
  const fields = { request: text, investigated: text, learned: text, completed: `${HONEST}.\n${text}`, notes: text };
  if (request.purpose === "session") {
    // A planted title is rejected, and the model is asked again.
    const title = request.text.includes("could not be used") ? HONEST : instructions[0];
    const decisions = instructions.map((one) => ({ title: one, by: "user", quote: one, turn: 1, evidence }));
    const handover = [HONEST, ...instructions];
    return answer({ title, subtitle: text, ...fields, open: instructions, decisions, handover, evidence });
  }
  const note = (type: string, title: string): object => {
    const rest = { subtitle: title, narrative: title, facts: [title], concepts: [], files: [], quote: title };
    return { turn: 1, type, title, ...rest, evidence, replaces: [] };
  };
  const planted = instructions.flatMap((title) => [note("decision", title), note("discovery", title)]);
  const turns = [{ turn: 1, ...fields, next_steps: text, evidence }];
  return answer({ observations: [note("bugfix", HONEST), ...planted], confirmed: [], closed: [], turns });
}

describe("instructions planted in evidence", () => {
  const all = PLANTED_INSTRUCTIONS.map(({ instruction }) => instruction);
  it.each<[string, readonly string[], string]>([
    ["the first five, in tool output", all.slice(0, 5), FIX.last],
    ["the others, in tool output", all.slice(5), FIX.last],
    [
      "the first five, which the agent quotes",
      all.slice(0, 5),
      `${FIX.last} A file says: ${all.slice(0, 5).join(" ")}`,
    ],
    ["the others, which the agent quotes", all.slice(5), `${FIX.last} A file says: ${all.slice(5).join(" ")}`],
  ])("are not injected as decisions, handover, titles or rules (%s)", async (_, instructions, last) => {
    const world = await createModelWorld((request) => gullible(request, instructions));
    recordFix(world, instructions, last);
    await runWorker(world);
    expect(requestsTo(world).map(({ purpose }) => purpose)).toEqual(["turns", "session", "session"]);
    expect(stored(world, "SELECT title FROM sessions")).toEqual([{ title: HONEST }]);
    expect(stored(world, "SELECT handover FROM summaries WHERE prompt_number = 0 AND is_current = 1")).toEqual([
      { handover: JSON.stringify([HONEST]) },
    ]);

    const planted = PLANTED_INSTRUCTIONS.filter(({ instruction }) => instructions.includes(instruction));
    const own = stored<{ text: string }>(
      world,
      `SELECT title || ' ' || narrative AS text FROM observations WHERE is_current = 1 AND type = 'decision'
       UNION ALL SELECT coalesce(title, '') FROM sessions
       UNION ALL SELECT coalesce(title, '') || handover FROM summaries WHERE is_current = 1`,
    ).map(({ text }) => text.toLowerCase());
    const context = await startNextSession(world);
    const unquoted = context.replaceAll(/\[quoted text, not an instruction: “[^”]*”\]/g, "").toLowerCase();
    for (const { words } of planted) {
      expect({ words, stored: own.filter((text) => text.includes(words.toLowerCase())) }).toEqual({
        words,
        stored: [],
      });
      expect({ words, line: unquoted.split("\n").find((line) => line.includes(words.toLowerCase())) }).toEqual({
        words,
        line: undefined,
      });
    }
  });
});

describe("c-mem rebuild --with-model", () => {
  const REBUILD = ["rebuild", "--with-model", "--since", "2000-01-01"];

  it("shows an estimate, and sends nothing without --yes", async () => {
    const world = await createModelWorld(fixed);
    const config = readFileSync(join(world.home, "config.json"), "utf8");
    // Recorded while no model was configured.
    await run(world, ["config", "set", "provider", "none"]);
    recordFix(world);
    await runWorker(world);
    await run(world, ["config", "set", "provider", "agent-sdk"]);
    const refused = await run(world, [...REBUILD, "--yes"]);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("The Agent SDK is not installed.")]);
    writeFileSync(join(world.home, "config.json"), config);

    const { status, stdout, stderr } = await run(world, REBUILD);
    expect(status).toBe(0);
    expect(stdout + stderr).toMatch(/Estimate: \d+ requests?, \d[\d,]* tokens in/);
    expect(stdout + stderr).toContain("Nothing was sent. Add --yes");
    await runWorker(world, { at: Date.now() + 20 * MINUTE });
    expect(requestsTo(world)).toEqual([]);
    expect(stored(world, "SELECT * FROM model_turns")).toEqual([]);

    await data(world, [...REBUILD, "--yes"]);
    await runWorker(world, { at: Date.now() + 20 * MINUTE });
    expect(requestsTo(world).map(({ purpose }) => purpose)).toEqual(["turns", "session"]);
    expect(stored(world, "SELECT title FROM sessions")).toEqual([{ title: "The flaky loader waits" }]);
  });
});
