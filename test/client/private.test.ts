// Tests that a wholly private prompt leaves nothing in the data directory.
import { expect, it } from "vitest";
import { allBytes, rows, run } from "../e2e/harness.ts";
import { session } from "./client.ts";
import { testLab } from "./lab.ts";

it("stores nothing of a private prompt, its tools or its answer", async () => {
  const lab = await testLab();
  await run(lab, ["install", "--yes"]);
  const { answer } = await session(lab, "<private>SECRETPROMPT [[script:secret]]</private>");
  expect(answer).toBe("SECRETANSWER");
  expectNothing();
  expect(await rows(lab, "SELECT prompt_count FROM sessions")).toEqual([{ prompt_count: 0 }]);
  expect((await run(lab, ["sync"])).status).toBe(0);
  expect(await rows(lab, "SELECT * FROM tool_uses")).toEqual([]);
  expectNothing();

  function expectNothing(): void {
    const bytes = allBytes(lab.home);
    expect(bytes).toContain("claude-code");
    for (const secret of ["SECRETPROMPT", "SECRETOUTPUT", "SECRETANSWER"]) expect(bytes).not.toContain(secret);
  }
});
