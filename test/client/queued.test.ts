// Prompts typed while the agent works: handed over in the middle of the turn, or answered in a turn of their own.
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { rows, run, type World } from "../e2e/harness.ts";
import { testLab } from "./lab.ts";
import { startTui } from "./tui.ts";

const READY = /accept edits on/;

describe("prompts typed while the agent works", () => {
  it("are one row each, the same from hooks and from the transcript", async () => {
    const lab = await testLab();
    await run(lab, ["install", "--yes"]);
    const tui = startTui(lab, ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Read"]);
    onTestFinished(() => tui.close());
    await tui.waitFor(READY);
    await tui.say("Take your time [[script:slow]]");
    await tui.waitFor(/sleep 8/);
    await tui.say("and mind this");
    await tui.waitFor(/● Slept\.[\s\S]* done \d/);
    await tui.say("Good morning [[script:hello]]");
    await tui.say("And now list it [[script:list]]");
    await tui.waitFor(/● Listed\.[\s\S]* done \d/);
    await tui.say("/exit");
    expect(await tui.waitForExit()).toBe(0);

    const asked = [
      { prompt_number: 1, text: "Take your time [[script:slow]]", response: "Slept.", tools: 1 },
      { prompt_number: 2, text: "and mind this", response: null, tools: 0 },
      { prompt_number: 3, text: "Good morning [[script:hello]]", response: "Hello from the model.", tools: 0 },
      { prompt_number: 4, text: "And now list it [[script:list]]", response: "Listed.", tools: 1 },
    ];
    expect(await prompts(lab)).toEqual(asked);
    const other: World = {
      ...lab,
      home: join(lab.root, "other"),
      env: { ...lab.env, C_MEM_HOME: join(lab.root, "other") },
    };
    await run(other, ["sync"]);
    expect(await prompts(other)).toEqual(asked);
    await run(lab, ["sync"]);
    expect(await prompts(lab)).toEqual(asked);
  });
});

function prompts(world: World): Promise<unknown[]> {
  return rows(
    world,
    `SELECT prompt_number, text, response, (SELECT count(*) FROM tool_uses t WHERE t.session_db_id = p.session_db_id
       AND t.prompt_number = p.prompt_number) AS tools FROM prompts p ORDER BY prompt_number`,
  );
}
