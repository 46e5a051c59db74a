// Ids that no agent gives: a hook, a transcript or an import may carry anything where an id belongs.
import { expect, it } from "vitest";
import { ALNUM, seeded } from "../secrets/random.ts";
import { allBytes, createWorld, hook, rows, run } from "./harness.ts";

it("an id in the shape of a secret is nowhere on disk, and its events still belong together", async () => {
  const world = createWorld();
  const random = seeded(7);
  const secret = (): string => `gh${"p"}_${random.text(ALNUM, 36)}`;
  const [session, prompt, use, model] = [secret(), secret(), secret(), secret()];
  const about = { session_id: session, prompt_id: prompt };
  await hook(world, "context", { ...about, hook_event_name: "SessionStart", source: "startup", model });
  await hook(world, "new", { ...about, hook_event_name: "UserPromptSubmit", prompt: "Look at the deploy" });
  await hook(world, "save", {
    ...about,
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: use,
    tool_input: { command: "make deploy" },
    tool_response: { stdout: "deployed", stderr: "" },
  });
  await hook(world, "summary", { ...about, hook_event_name: "Stop", last_assistant_message: "Deployed." });
  await run(world, ["rebuild", "--all"]);

  const found = await rows(
    world,
    "SELECT session_id, (SELECT count(*) FROM tool_uses) AS uses, (SELECT count(*) FROM prompts) AS prompts FROM sessions",
  );
  expect(found).toMatchObject([
    { session_id: expect.stringMatching(/^id-[0-9a-f]{32}$/) as string, uses: 1, prompts: 1 },
  ]);
  const bytes = allBytes(world.home);
  for (const one of [session, prompt, use, model]) expect(bytes).not.toContain(one);
});
