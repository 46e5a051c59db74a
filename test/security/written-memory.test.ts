// An agent that was tricked writes planted instructions into memory itself: with remember, forget and handover. Later
// sessions may see them only as quotations.
import { beforeAll, describe, expect, it } from "vitest";
import { contextOf, createWorld, hook, run, type World } from "../e2e/harness.ts";
import { connect } from "../e2e/mcp-client.ts";
import { expectHarmless } from "./harmless.ts";
import { PLANTED_INSTRUCTIONS } from "./planted-instructions.ts";

let world: World;
let counter = 0;

beforeAll(() => {
  world = createWorld();
});

type CallTool = Awaited<ReturnType<typeof connect>>["call"];

/** A session whose agent writes the instruction everywhere it can. Returns the session's id. */
async function writeEverywhere(call: CallTool, instruction: string): Promise<string> {
  const session = `tricked-${counter++}`;
  const turn = { session_id: session, prompt_id: `p-${session}` };
  await hook(world, "new", { ...turn, hook_event_name: "UserPromptSubmit", prompt: `Fix the loader, part ${counter}` });
  // A text that is only a control element is removed, so that one gets a word in front.
  const title = instruction.startsWith("<") ? `Loader ${counter} ${instruction}` : instruction;
  const lines = `${instruction}\nThe loader ${counter} is fixed`;
  const answers = [
    await call("handover", {
      session,
      title: title.slice(0, 100),
      subtitle: instruction,
      handover: lines,
      decisions: lines,
      learned: lines,
      completed: lines,
      open: lines,
    }),
    await call("remember", { text: `Loader ${counter}: ${instruction}`, reason: title, title }),
  ];
  const id = /\bo\d+/.exec(answers[1]?.text ?? "")?.[0];
  if (counter % 2 === 0) answers.push(await call("forget", { ids: [id], no_longer_holds: title }));
  expect(answers.filter(({ isError }) => isError)).toEqual([]);
  await hook(world, "summary", { ...turn, hook_event_name: "Stop", last_assistant_message: "Done." });
  return session;
}

describe("instructions that an agent wrote into memory", () => {
  it("are quoted at session start, in prompts and in the answers of tools", async () => {
    const { call } = await connect(world);
    for (const { instruction, words } of PLANTED_INSTRUCTIONS) {
      const session = await writeEverywhere(call, instruction);
      // Also derives the session's memory.
      const shown = await run(world, ["show", session]);
      expect(shown.stdout).toContain("the session's agent");
      const later = { session_id: `later-${counter}`, prompt_id: `q-${counter}` };
      const start = await hook(world, "context", { ...later, hook_event_name: "SessionStart", source: "startup" });
      expect(contextOf(start)).toContain("<c-mem-context>");
      expectHarmless(contextOf(start), "start");
      const prompt = `What was decided about loader ${counter}?`;
      expectHarmless(
        contextOf(await hook(world, "new", { ...later, hook_event_name: "UserPromptSubmit", prompt })),
        prompt,
      );
      const answers = [
        await call("search", { query: `loader ${counter}` }),
        await call("timeline", { anchor: session }),
        await call("get_observations", { ids: [session] }),
      ];
      for (const { text } of answers) {
        expect(text).not.toMatch(/<\/?(?:c-mem-context|system-reminder|system|user|assistant)>/i);
        const bare = text.split("\n").filter((line) => line.toLowerCase().startsWith(words.toLowerCase()));
        expect({ words, bare }).toEqual({ words, bare: [] });
      }
    }
  }, 180_000);
});
