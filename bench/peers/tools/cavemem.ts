// cavemem: hooks write compressed text to SQLite.
import { join } from "node:path";
import type { Contestant } from "../contestant.ts";
import { runHooks } from "../hook-runner.ts";
import { payloadOf } from "../payloads.ts";
import { freePort, mustRun, type Place } from "../place.ts";

const cli = (place: Place): string => join(place.install, "node_modules", "cavemem", "dist", "index.js");
const hooks = (place: Place) => ({ path: join(place.home, ".claude", "settings.json") });

export const cavemem: Contestant = {
  name: "cavemem",
  packages: ["cavemem"],
  purpose: "records sessions by hooks as compressed text",
  extra: "shortens prose before it stores it, so that memory costs an agent fewer tokens",
  missing: { import: "it imports no transcripts", tokens: "it calls no model" },
  async prepare(place) {
    const settings = {
      workerPort: String(await freePort()),
      // Its local model is a download outside npm.
      "embedding.provider": "none",
    };
    for (const [key, value] of Object.entries(settings))
      await mustRun(place, "node", [cli(place), "config", "set", key, value], { timeoutMs: 30_000 });
    await mustRun(place, "node", [cli(place), "install"], { timeoutMs: 30_000 });
  },
  hooks,
  search: {
    source: "writes",
    how: "turns sent to its hooks; MCP tool `search`, which without its embedding model needs all words in one compressed text",
    server: (place) => ({ command: "node", args: [cli(place), "mcp"] }),
    async load(place, sessions) {
      for (const { id, turns } of sessions) {
        await runHooks(place, hooks(place), payloadOf("SessionStart", place, id));
        for (const { prompt, answer, files } of turns) {
          await runHooks(place, hooks(place), payloadOf("UserPromptSubmit", place, id, { prompt }));
          if (answer === "" && files.length === 0) continue;
          const message = `${answer}\nFiles: ${files.join(", ")}`;
          await runHooks(place, hooks(place), payloadOf("Stop", place, id, { last_assistant_message: message }));
        }
      }
    },
    async find(client, query) {
      const rows = JSON.parse(await client.call("search", { query, limit: 50 })) as { session_id: string }[];
      return rows.map((row) => row.session_id);
    },
  },
};
