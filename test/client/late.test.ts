// Tests work that outlasts a turn or the client itself.
import { describe, expect, it } from "vitest";
import { rows, run } from "../e2e/harness.ts";
import { session } from "./client.ts";
import { testLab } from "./lab.ts";

describe("work", () => {
  it("of a background agent belongs to the turn that started it, and its end is not a prompt", async () => {
    const lab = await testLab();
    await run(lab, ["install", "--yes"]);
    const { hooks } = await session(lab, "Have it looked at [[script:delegate]]");
    expect(hooks.filter((hook) => hook.event === "UserPromptSubmit").length).toBeGreaterThan(1);
    expect(await rows(lab, "SELECT text FROM prompts")).toEqual([{ text: "Have it looked at [[script:delegate]]" }]);
    expect(
      await rows(
        lab,
        "SELECT name, agent_id IS NOT NULL AS inside, prompt_number FROM tool_uses ORDER BY inside, name",
      ),
    ).toEqual([
      { name: "Agent", inside: 0, prompt_number: 1 },
      { name: "Bash", inside: 1, prompt_number: 1 },
      { name: "Read", inside: 1, prompt_number: 1 },
    ]);
    expect(await rows(lab, "SELECT DISTINCT status FROM sessions")).toEqual([{ status: "completed" }]);
  });

  it("whose hook the client killed at its exit is read from the transcript", async () => {
    const lab = await testLab();
    await run(lab, ["install", "--yes"]);
    // The client exits right after the tool and kills the hook that would have recorded it.
    await session(lab, "List it [[script:list]]", { args: ["--max-turns", "1"] });
    expect((await run(lab, ["sync"])).status).toBe(0);
    expect(await rows(lab, "SELECT name, json_extract(input, '$.command') AS command FROM tool_uses")).toEqual([
      { name: "Bash", command: "ls" },
    ]);
    expect(await rows(lab, "SELECT text FROM prompts")).toEqual([{ text: "List it [[script:list]]" }]);
  });
});
