// The interactive client: its screen, slash commands and exit.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { rows, run } from "../e2e/harness.ts";
import { mainRequests, memoryIn } from "./client.ts";
import { type Lab, testLab } from "./lab.ts";
import { LAST_ANSWER } from "./scripts.ts";
import { startTui, type Tui } from "./tui.ts";

const WORK = "Why does add subtract? [[script:work]]";
const READY = /accept edits on/;
const HOOK_ERROR = /hook\W+error|error\W+hook|hook.*(?:failed|cancelled)/i;
/** The answer, with the end of the turn below it: until then the Stop hook runs. */
const HELLO = /● Hello from the model\.[\s\S]* done \d/;
const LISTED = /● Listed\.[\s\S]* done \d/;
const WORKED = /finished[\s\S]*● add\(\) had a minus sign[\s\S]* done \d/;

describe("the interactive client", () => {
  it("records across /clear and /exit, and shows no hook error", async () => {
    const lab = await testLab();
    await run(lab, ["install", "--yes"]);
    const tui = await open(lab);
    await tui.say(WORK);
    await tui.waitFor(WORKED);
    expect(tui.screen()).not.toMatch(HOOK_ERROR);
    await tui.say("/clear");
    await tui.waitFor(/❯ \/clear/);
    await tui.say("Good morning [[script:hello]]");
    await tui.waitFor(HELLO);
    expect(tui.screen()).not.toMatch(HOOK_ERROR);
    await leave(tui);

    const sessions = await rows<{ session_id: string }>(
      lab,
      "SELECT session_id, status, end_reason, prompt_count, (SELECT response FROM prompts WHERE session_db_id = sessions.id) AS response FROM sessions WHERE parent_session_db_id IS NULL ORDER BY started_at",
    );
    expect(sessions).toMatchObject([
      { status: "completed", end_reason: "clear", prompt_count: 1, response: LAST_ANSWER },
      { status: "completed", end_reason: "prompt_input_exit", prompt_count: 1, response: "Hello from the model." },
    ]);
    const [cleared] = mainRequests(lab, sessions[1]?.session_id ?? "");
    for (const part of ["## Where work stopped", "add.mjs"]) expect(memoryIn(cleared)).toContain(part);
    expect(await rows(lab, "SELECT count(*) AS n, count(DISTINCT tool_use_id) AS ids FROM tool_uses")).toEqual([
      { n: 9, ids: 9 },
    ]);

    const again = await open(lab);
    await again.say("Where were we? [[script:hello]]");
    await again.waitFor(HELLO);
    expect(again.screen()).not.toMatch(HOOK_ERROR);
    await leave(again);
    for (const part of ["Good morning", "add.mjs"]) expect(memoryIn(lab.model.requests.at(-1))).toContain(part);
  });

  it("gets its context injected again after /compact", async () => {
    const lab = await testLab();
    await run(lab, ["install", "--yes"]);
    const tui = await open(lab);
    await tui.say("Good morning [[script:hello]]");
    await tui.waitFor(HELLO);
    await tui.say("/compact");
    await tui.waitFor(/Compacted/);
    await tui.say("And now? [[script:list]]");
    await tui.waitFor(LISTED);
    expect(tui.screen()).not.toMatch(HOOK_ERROR);
    await leave(tui);
    expect(memoryIn(lab.model.requests[0])).toBe("");
    expect(memoryIn(lab.model.requests.at(-1))).toContain("Good morning [[script:hello]]");
    expect(await rows(lab, "SELECT prompt_count FROM sessions")).toEqual([{ prompt_count: 2 }]);
  });

  // PreCompact's stdout would become the summary's "Additional Instructions".
  it("keeps the hook's output out of the instructions for the summary", async () => {
    const lab = await testLab();
    await run(lab, ["install", "--yes"]);
    const tui = await open(lab);
    await tui.say("Good morning [[script:hello]]");
    await tui.waitFor(HELLO);
    await tui.say("/compact");
    await tui.waitFor(/Compacted/);
    expect(lab.model.requests.at(-1)?.text).not.toContain("suppressOutput");
  });

  it("shows no hook error when the data directory cannot be created", async () => {
    const lab = await testLab();
    await run(lab, ["install", "--yes"]);
    writeFileSync(join(lab.root, "file"), "");
    const tui = await open(lab, { C_MEM_HOME: join(lab.root, "file", "inside") });
    await tui.say("List it [[script:list]]");
    await tui.waitFor(LISTED);
    expect(tui.screen()).not.toMatch(HOOK_ERROR);
    await leave(tui);
  });
});

async function open(lab: Lab, env: Record<string, string> = {}): Promise<Tui> {
  const tui = startTui(lab, ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Read,Agent"], env);
  onTestFinished(() => tui.close());
  await tui.waitFor(READY);
  return tui;
}

async function leave(tui: Tui): Promise<void> {
  await tui.say("/exit");
  expect(await tui.waitForExit()).toBe(0);
  tui.close();
}
