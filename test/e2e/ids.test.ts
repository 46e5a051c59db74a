// Unusual session ids: hooks, transcripts and imports can contain any text as an id.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ALNUM, seeded } from "../secrets/random.ts";
import { allBytes, createWorld, data, hook, rows, run, type World } from "./harness.ts";

it("an id that looks like a secret is never stored, and its events stay in one session", async () => {
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

function writeTranscript(world: World, sessionId: string, words: string, more: object = {}): void {
  const folder = join(world.claudeDir, "projects", "-app");
  mkdirSync(folder, { recursive: true });
  const base = { sessionId, cwd: world.project, version: "2.1.0", timestamp: "2026-01-01T10:00:00.000Z", ...more };
  const lines = [
    { ...base, type: "user", uuid: "u1", promptId: "p1", message: { role: "user", content: words } },
    { ...base, type: "assistant", uuid: "u2", message: { id: "m1", content: [{ type: "text", text: "Done." }] } },
  ];
  writeFileSync(join(folder, `${sessionId}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

it("forget also deletes a session's archive copy that is not named after its id", async () => {
  const world = createWorld();
  writeTranscript(world, "A copy (é)", "The walrus is blue");
  await run(world, ["sync", "--archive"]);
  const [session] = await rows(world, "SELECT session_id AS id FROM sessions");
  const { status, stderr } = await run(world, ["forget", String(session?.["id"]), "--yes"]);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  await run(world, ["sync", "--archive"]);
  expect(await rows(world, "SELECT session_id FROM sessions")).toEqual([]);
  expect(readdirSync(join(world.home, "archive", "claude-code"))).toEqual([]);
});

it("a fork's archive copy does not contain its parent's id if that looks like a secret", async () => {
  const world = createWorld();
  const secret = `gh${"p"}_${seeded(8).text(ALNUM, 36)}`;
  const forkedFrom = { sessionId: secret, messageUuid: "u0" };
  writeTranscript(world, "22222222-2222-4333-8444-555555555555", "Go on with it", { forkedFrom });
  await run(world, ["sync", "--archive"]);
  expect(await data(world, ["audit"])).toMatchObject({ clean: true, results: [] });
  expect(allBytes(world.home)).not.toContain(secret);
});
