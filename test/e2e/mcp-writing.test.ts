// What agents write over MCP: notes that belong to the session in which they were written, and handovers.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allBytes, contextOf, createWorld, hook, rows, run, type World } from "./harness.ts";
import { connect } from "./mcp-client.ts";

/** A project with a session of one turn. */
async function worked(): Promise<World> {
  const world = createWorld();
  const turn = { session_id: "1b2c3d4e-basket", prompt_id: "p1" };
  await hook(world, "new", { ...turn, hook_event_name: "UserPromptSubmit", prompt: "Empty the basket after checkout" });
  await hook(world, "save", {
    ...turn,
    hook_event_name: "PostToolUse",
    tool_use_id: "t1",
    tool_name: "Bash",
    tool_input: { command: "npm test" },
    tool_response: { stdout: "all passed", stderr: "" },
  });
  const last = "The basket kept a copy of its items; checkout empties both now.";
  await hook(world, "summary", { ...turn, hook_event_name: "Stop", last_assistant_message: last });
  return world;
}

describe("the client's session", () => {
  /** A session whose turn is running. Its drop is still in the spool. */
  async function asking(own: World, session: string, prompt: string): Promise<void> {
    await hook(own, "new", {
      session_id: session,
      prompt_id: `p-${session}`,
      hook_event_name: "UserPromptSubmit",
      prompt,
    });
  }
  const sessionOf = async (own: World, id: number) =>
    (
      await rows(
        own,
        `SELECT s.session_id, o.evidence FROM observations o
      LEFT JOIN sessions s ON s.id = o.session_db_id WHERE o.id = ${id}`,
      )
    )[0];
  const NONE = { session_id: null, evidence: "[]" };

  it("is the one whose turn runs in this folder, and its evidence: forgetting it forgets what was remembered", async () => {
    const own = createWorld();
    await asking(own, "aaaa1111", "Let us use tabs");
    const { call } = await connect(own);
    await call("remember", { text: "The quokka sleeps in the attic.", type: "decision", reason: "It is warm there." });
    expect(await sessionOf(own, 1)).toEqual({ session_id: "aaaa1111", evidence: '["p1"]' });
    const shown = await run(own, ["show", "o1"]);
    expect(shown.stdout).toMatch(/aaaa1111[\s\S]*Why: It is warm there\.[\s\S]*Let us use tabs/);
    const { stdout } = await run(own, ["forget", "aaaa1111", "--yes", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ data: { removed: { sessions: 1, observations: 1 } } });
    expect(allBytes(own.home)).not.toMatch(/quokka|warm there/);
  });

  it("is the one that Claude Code names, unless that one has ended", async () => {
    const own = createWorld();
    await asking(own, "aaaa1111", "First task");
    await asking(own, "bbbb2222", "Second task");
    const { call } = await connect(own, { env: { CLAUDE_CODE_SESSION_ID: "aaaa1111" } });
    await call("remember", { text: "The first note is about quokkas." });
    // After /clear the server still has the id of the old session.
    await hook(own, "cleanup", { session_id: "aaaa1111", hook_event_name: "SessionEnd", reason: "clear" });
    await call("remember", { text: "Another remark concerns the build." });
    expect([await sessionOf(own, 1), await sessionOf(own, 2)]).toMatchObject([
      { session_id: "aaaa1111" },
      { session_id: "bbbb2222" },
    ]);
  });

  it("is unknown if two run in this folder, and if none does", async () => {
    const own = createWorld();
    const { call } = await connect(own);
    await call("remember", { text: "The first note is about quokkas." });
    await asking(own, "aaaa1111", "First task");
    await asking(own, "bbbb2222", "Second task");
    await call("remember", { text: "Another remark concerns the build." });
    expect([await sessionOf(own, 1), await sessionOf(own, 2)]).toEqual([NONE, NONE]);
  });

  it("saves nothing of a private turn", async () => {
    const own = createWorld();
    await asking(own, "aaaa1111", "First task");
    await asking(own, "aaaa1111", "<private>buy a quokka</private>");
    const { call } = await connect(own, { env: { CLAUDE_CODE_SESSION_ID: "aaaa1111" } });
    const refused = { isError: true, text: expect.stringContaining("prompt is private") };
    expect(await call("remember", { text: "The quokka is bought." })).toMatchObject(refused);
    expect(await call("handover", { title: "A quokka", handover: "Feed it" })).toMatchObject(refused);
    expect(allBytes(own.home)).not.toContain("uokka");
  });
});

describe("handover", () => {
  const HANDOVER = {
    title: "Basket emptied after checkout",
    subtitle: "and the wish list is next",
    handover: "The basket is emptied in src/basket.js\nNext: the wish list",
    decisions: "Empty the basket in checkout(), because two other places forgot it",
    learned: "The basket kept a copy of its items",
    completed: "npm test passes",
    open: "Empty the wish list",
  };
  const TURN = { session_id: "1b2c3d4e-basket", prompt_id: "p2" };

  it("becomes the session's summary and survives the turn's end and a rebuild", async () => {
    const own = await worked();
    await hook(own, "new", { ...TURN, hook_event_name: "UserPromptSubmit", prompt: "/c-mem:handover" });
    const { call } = await connect(own);
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const { text, isError } = await call("handover", {
      ...HANDOVER,
      learned: `${HANDOVER.learned}\nThe token is ${secret} <private>my birthday</private>`,
    });
    expect([isError, text]).toEqual([
      false,
      expect.stringMatching(/^Saved as the summary of session 1b2c3d4e up to turn 2: Basket emptied[^]*saved: o\d+\.$/),
    ]);
    await hook(own, "summary", {
      ...TURN,
      hook_event_name: "Stop",
      last_assistant_message: "The session is handed over.",
    });
    await run(own, ["worker", "run", "--once"]);
    await run(own, ["rebuild", "--all"]);
    const current =
      "SELECT producer, last_prompt, title, next_steps, handover FROM summaries WHERE prompt_number = 0 AND is_current = 1";
    expect(await rows(own, current)).toEqual([
      {
        producer: "agent",
        last_prompt: 2,
        title: HANDOVER.title,
        next_steps: HANDOVER.open,
        handover: JSON.stringify(HANDOVER.handover.split("\n")),
      },
    ]);
    expect(allBytes(own.home)).not.toMatch(/birthday|ghp_a1B2/);
    const shown = (await run(own, ["show", TURN.session_id])).stdout;
    expect(shown).toMatch(/^Basket emptied after checkout\nand the wish list is next\n/);
    expect(shown).toMatch(
      /author +the session's agent, .*, up to turn 2; 1 other version\n +handover +- The basket is emptied/,
    );
    const { data } = JSON.parse((await run(own, ["show", TURN.session_id, "--json"])).stdout) as {
      data: { summaries: { producer: string; handover: string[] }[] };
    };
    expect(data.summaries.map(({ producer, handover }) => [producer, handover.length])).toEqual([
      ["agent", 2],
      ["extractor", 0],
    ]);
    const start = await hook(own, "context", {
      session_id: "next",
      hook_event_name: "SessionStart",
      source: "startup",
    });
    expect(contextOf(start)).toMatch(
      /Basket emptied after checkout\. \(#1b2c3d4e\)\n- The basket is emptied in src\/basket\.js\n- Next: the wish list\n/,
    );
    expect((await run(own, ["list"])).stdout).toContain(HANDOVER.title);
    await run(own, ["forget", TURN.session_id, "--yes"]);
    expect(allBytes(own.home)).not.toMatch(/wish list|two other places/);
  });

  it("works in the first turn, while the session is still in the spool", async () => {
    const own = createWorld();
    await hook(own, "new", {
      ...TURN,
      hook_event_name: "UserPromptSubmit",
      prompt: "Empty the basket, then hand over",
    });
    expect(existsSync(join(own.home, "c-mem.db"))).toBe(false);
    const { call } = await connect(own);
    expect(await call("handover", HANDOVER)).toMatchObject({ isError: false });
    expect(
      await rows(own, "SELECT title, last_prompt FROM summaries WHERE is_current = 1 AND producer = 'agent'"),
    ).toEqual([{ title: HANDOVER.title, last_prompt: 1 }]);
  });

  it("tells the agent what to correct, and saves nothing in an excluded folder", async () => {
    const own = await worked();
    const { call } = await connect(own);
    const given = { ...HANDOVER, session: TURN.session_id };
    expect(await call("handover", { ...given, handover: "line\n".repeat(9), title: "t".repeat(200) })).toEqual({
      isError: true,
      text: "Nothing was saved: title has 200 characters, at most 100 are allowed; handover has 9 lines, at most 6 are allowed. Correct that and call again.",
    });
    writeFileSync(join(own.project, ".c-mem.json"), '{"enabled": false}');
    expect(await call("handover", given)).toMatchObject({
      isError: true,
      text: expect.stringContaining("switched off"),
    });
    expect(allBytes(own.home)).not.toContain("wish list");
  });
});
