// The real clients with C-Mem installed: what is recorded of a session, and what is injected into the next one.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SETUPS } from "../../src/agents/setups.ts";
import { createWorld, rows, run } from "../e2e/harness.ts";
import { CLIENTS, runClient, writeSettings } from "./clients.ts";
import { ANSWER, startFakeModel } from "./fake-models.ts";

const FIRST = "please teach app.txt about quokkas";

const COUNTS = `SELECT s.agent, (SELECT count(*) FROM prompts p WHERE p.session_db_id = s.id) AS prompts,
  (SELECT count(*) FROM tool_uses t WHERE t.session_db_id = s.id) AS tools,
  (SELECT count(*) FROM tool_uses t WHERE t.session_db_id = s.id AND t.exit_code = 2) AS failed FROM sessions s`;

const LORE = [
  ["Wombats stand last in the marsupial register, after the quokkas"],
  ["app.txt is read by the greeter", "--file", "app.txt", "--type", "decision"],
];
/** Surface -> words that occur only in context injected there. */
const INJECTED_WORDS: Record<string, string> = {
  prompt: "after the quokkas",
  file: "read by the greeter",
};

describe("C-Mem in", () => {
  it.each(CLIENTS)("$agent records a session once and injects it into the next one", async (client) => {
    const world = createWorld();
    execFileSync("git", ["init", "-q"], { cwd: world.project });
    const file = join(world.project, "app.txt");
    writeFileSync(file, "hello\n");
    const model = await startFakeModel(client.calls(world.project));
    try {
      writeSettings(world, client, model.port);
      expect((await run(world, ["install", client.agent, "--yes", "--no-sync"])).status).toBe(0);
      const first = await runClient(world, client, model.port, FIRST);
      expect([first.status, first.stdout + first.stderr]).toEqual([0, expect.stringContaining(ANSWER)]);
      expect(first.stdout + first.stderr).not.toMatch(/hook: \w+ Failed/);
      expect(readFileSync(file, "utf8")).toBe("hello world\n");
      expect(model.requests.join("")).not.toContain("c-mem-context");
      // The memory tools are listed, for Codex only the server: its model searches for tools.
      expect(model.requests.join("")).toMatch(/c-mem[-_]find_fix|- c-mem: Memory/);

      const recorded = [{ agent: client.agent, prompts: 1, tools: 3, failed: 1 }];
      expect(await rows(world, COUNTS)).toMatchObject([{ agent: client.agent, prompts: 1 }]);
      await run(world, ["sync", "--agent", client.agent]);
      expect(await rows(world, COUNTS)).toEqual(recorded);
      await run(world, ["sync", "--agent", client.agent, "--force"]);
      expect(await rows(world, COUNTS)).toEqual(recorded);

      await run(world, ["rebuild", "--all"]);
      const before = model.requests.length;
      writeFileSync(file, "hello\n");
      await runClient(world, client, model.port, "and now about wombats");
      const told = model.requests.slice(before).filter((request) => request.includes("c-mem-context"));
      expect(told.at(-1)).toContain("app.txt changed");
      // Injected text must not be recorded as a prompt or an answer.
      await run(world, ["sync", "--agent", client.agent]);
      expect(await rows(world, "SELECT text FROM prompts ORDER BY created_at")).toEqual([
        { text: expect.stringMatching(new RegExp(`^"?${FIRST}"?$`)) },
        { text: expect.stringMatching(/^"?and now about wombats"?$/) },
      ]);

      for (const args of LORE) await run(world, ["remember", ...args]);
      const third = model.requests.length;
      writeFileSync(file, "hello\n");
      // No context at the start: an item injected there would not be injected again.
      world.env["C_MEM_SURFACES"] = "prompt,file,command";
      await runClient(world, client, model.port, "Where do wombats stand in the marsupial register?");
      const words = model.requests.slice(third).join("\n");
      const heard = Object.keys(INJECTED_WORDS).filter((surface) => words.includes(INJECTED_WORDS[surface] ?? ""));
      const setup = SETUPS.find(({ id }) => id === client.agent);
      expect(heard).toEqual(Object.keys(INJECTED_WORDS).filter((surface) => setup?.surfaces.includes(surface)));
      await run(world, ["sync", "--agent", client.agent]);
      const outputs = await rows<{ output: string }>(world, "SELECT output FROM tool_uses");
      expect(JSON.stringify(outputs)).not.toMatch(/c-mem-context|hook_context|Additional guidance/);
      expect((await run(world, ["doctor"])).stdout).toContain("ok    hook errors: none");
    } finally {
      await model.close();
    }
  });
});
