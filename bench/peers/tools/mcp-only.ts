// Tools without hooks that run without a download: agents write to them and search them by MCP, or they read transcripts.
import { join } from "node:path";
import type { Contestant } from "../contestant.ts";
import type { Place } from "../place.ts";
import type { Session } from "../worlds.ts";
import { turnText } from "../turns.ts";

const NO_HOOKS = "it has no hooks";
const WITHOUT_HOOKS = { hooks: NO_HOOKS, kill: NO_HOOKS, secrets: NO_HOOKS, tokens: "it calls no model" };
const module = (place: Place, ...path: string[]): string => join(place.install, "node_modules", ...path);
const tagsIn = (text: string): string[] => [...text.matchAll(/\b(s\d{4})\/\d+/g)].map((match) => match[1] ?? "");

export const serverMemory: Contestant = {
  name: "server-memory",
  packages: ["@modelcontextprotocol/server-memory"],
  purpose: "a knowledge graph in one file, which agents write and read by MCP tools",
  extra: "entities and relations that an agent shapes as it likes",
  missing: { ...WITHOUT_HOOKS, import: "it imports no transcripts" },
  search: {
    source: "writes",
    how: "a session is an entity, a turn an observation; MCP tool `search_nodes`, which looks for the whole query as one string",
    server: (place) => ({
      command: "node",
      args: [module(place, "@modelcontextprotocol", "server-memory", "dist", "index.js")],
      env: { MEMORY_FILE_PATH: join(place.home, "memory.jsonl") },
    }),
    async load(_place, sessions, open) {
      const client = await open();
      for (const { tag, turns } of sessions) {
        const entity = { name: `${tag}/0`, entityType: "session", observations: turns.map(turnText) };
        await client.call("create_entities", { entities: [entity] });
      }
      await client.close();
    },
    async find(client, query) {
      const { entities } = JSON.parse(await client.call("search_nodes", { query })) as { entities: { name: string }[] };
      return entities.flatMap(({ name }) => tagsIn(name));
    },
  },
};

export const memoryKeeper: Contestant = {
  name: "mcp-memory-keeper",
  packages: ["mcp-memory-keeper"],
  purpose: "notes and checkpoints that an agent saves before its context is compacted",
  extra: "checkpoints that an agent saves and restores by name, a cache of files",
  missing: { ...WITHOUT_HOOKS, import: "it imports no transcripts" },
  search: {
    source: "writes",
    how: "turns written by its MCP tool `context_batch_save`; MCP tool `context_semantic_search`",
    server: (place) => ({
      command: "node",
      args: [module(place, ".bin", "mcp-memory-keeper")],
      env: { DATA_DIR: join(place.home, "mcp-data") },
    }),
    async load(_place, sessions, open) {
      const client = await open();
      await client.call("context_session_start", { name: "bench" });
      for (const { tag, turns } of sessions) {
        const items = turns.map((turn, index) => ({ key: `${tag}/${index}`, value: turnText(turn) }));
        for (let start = 0; start < items.length; start += 50)
          await client.call("context_batch_save", { items: items.slice(start, start + 50) });
      }
      await client.close();
    },
    async find(client, query) {
      const text = await client.call("context_semantic_search", { query, topK: 50, minSimilarity: 0 });
      return [...text.matchAll(/Key: (s\d{4})\/\d+/g)].map((match) => match[1] ?? "");
    },
  },
};

const NEEDS_ENGINE = "needs the iii engine, a download outside npm";

export const agentMemory: Contestant = {
  name: "agentmemory",
  packages: ["@agentmemory/agentmemory"],
  purpose: "records sessions by hooks into a server with keyword, vector and graph search",
  extra: "a server for many agents, session replay, lessons and consolidation by a model",
  missing: {
    hooks: NEEDS_ENGINE,
    import: NEEDS_ENGINE,
    kill: NEEDS_ENGINE,
    secrets: NEEDS_ENGINE,
    tokens: NEEDS_ENGINE,
  },
  search: {
    source: "writes",
    how: "only its standalone MCP server, without its engine: `memory_save` and `memory_smart_search`, which needs all words in one memory",
    server: (place) => ({
      command: "node",
      args: [module(place, "@agentmemory", "agentmemory", "dist", "standalone.mjs")],
    }),
    async load(_place, sessions, open) {
      const client = await open();
      for (const { tag, turns } of sessions) {
        for (const [index, turn] of turns.entries())
          await client.call("memory_save", { content: `${tag}/${index} ${turnText(turn)}` });
      }
      await client.close();
    },
    async find(client, query) {
      const text = await client.call("memory_smart_search", { query, limit: 50 });
      return [...text.matchAll(/"content": "(s\d{4})\/\d+/g)].map((match) => match[1] ?? "");
    },
  },
};

export const claudeHistorian: Contestant = {
  name: "claude-historian-mcp",
  packages: ["claude-historian-mcp"],
  purpose: "searches the transcripts of Claude Code, with no database of its own",
  extra: "needs no setup and stores nothing; searches plans and tool patterns",
  missing: { ...WITHOUT_HOOKS, import: "no import: it reads the transcripts at each search" },
  search: {
    source: "transcripts",
    how: "MCP tool `search_conversations`, which reads the four newest files of a project; its results name no session, so their text is looked up in the transcripts; it keeps the scores of its first query, so each query gets a new server",
    notForLocomo: "it searches what an agent said and did, and LoCoMo has only prompts",
    needsFreshServer: true,
    server: (place) => ({ command: "node", args: [module(place, "claude-historian-mcp", "dist", "index.js")] }),
    async find(client, query, sessions) {
      const text = await client.call("search_conversations", { query, limit: 50 });
      const { results } = JSON.parse(text.slice(text.indexOf("\n\n{"))) as { results: { content: string }[] };
      return results.flatMap(({ content }) => sessionsWith(content, sessions));
    },
  },
};

/** Sessions with a text, ignoring how spaces are laid out. Several can have it: all of them count as found. */
function sessionsWith(content: string, sessions: readonly Session[]): string[] {
  const start = normalize(content).slice(0, 80);
  return sessions.filter(({ id }) => rawTextOf(id, sessions).includes(start)).map(({ id }) => id);
}

const normalize = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
const texts = new WeakMap<readonly Session[], Map<string, string>>();

function rawTextOf(id: string, sessions: readonly Session[]): string {
  let known = texts.get(sessions);
  if (known === undefined) {
    known = new Map(sessions.map((session) => [session.id, normalize(session.said)]));
    texts.set(sessions, known);
  }
  return known.get(id) ?? "";
}
