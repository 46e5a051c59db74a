// memorix: hooks and MCP tools write what they judge worth keeping.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contestant } from "../contestant.ts";
import { mustRun, type Place } from "../place.ts";
import { turnText } from "../turns.ts";

const cli = (place: Place): string => join(place.install, "node_modules", "memorix", "dist", "cli", "index.js");

export const memorix: Contestant = {
  name: "memorix",
  packages: ["memorix"],
  purpose: "a memory that agents write by MCP tools, with hooks that keep what looks important",
  extra: "coordinates several agents at work, copies rules and settings between editors",
  missing: { import: "it imports commits, no transcripts" },
  async prepare(place, { url, isWanted }) {
    place.env["MEMORIX_EMBEDDING"] = "off";
    place.env["MEMORIX_AUTO_UPDATE"] = "false";
    if (isWanted) {
      place.env["MEMORIX_LLM_API_KEY"] = "loopback";
      place.env["MEMORIX_LLM_PROVIDER"] = "openai";
      place.env["MEMORIX_LLM_BASE_URL"] = `${url}/v1`;
    }
    await mustRun(place, "git", ["init", "-q"], { timeoutMs: 10_000 });
    await mustRun(place, "node", [cli(place), "hooks", "install", "--agent", "claude"], { timeoutMs: 30_000 });
    writeFileSync(join(place.project, "README.md"), "# App\n");
  },
  hooks: (place) => ({ path: join(place.project, ".claude", "settings.local.json") }),
  search: {
    source: "writes",
    how: "turns written by its MCP tool `memorix_store`; MCP tool `memorix_search`, without its embedding model; it drops most turns as duplicates of others and kept 6 of the 419 of one conversation",
    server: (place) => ({ command: "node", args: [cli(place), "serve"], env: { MEMORIX_EMBEDDING: "off" } }),
    async load(_place, sessions, open) {
      const client = await open();
      for (const { tag, turns } of sessions) {
        for (const [index, turn] of turns.entries()) {
          await client.call("memorix_store", {
            entityName: tag,
            type: "discovery",
            // It compares titles to find duplicates, so they need words of their own.
            title: `${tag}/${index} ${turn.prompt.replaceAll(/\s+/g, " ").slice(0, 80)}`,
            narrative: turnText(turn),
            filesModified: turn.files,
          });
        }
      }
      await client.close();
    },
    async find(client, query) {
      const text = await client.call("memorix_search", { query, limit: 50, maxTokens: 0 });
      return [...text.matchAll(/\b(s\d{4})\/\d+/g)].map((match) => match[1] ?? "");
    },
  },
  modelReply: () => JSON.stringify({ action: "new", title: "The store sorts rows by time", facts: [] }),
};
