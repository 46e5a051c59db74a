// claude-mem: hooks send every tool use to a worker (Bun), which asks a model for observations.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatBody, Contestant } from "../contestant.ts";
import { runHooks } from "../hook-runner.ts";
import { freePort, mustRun, npmEnv, type Place, wait } from "../place.ts";
import { payloadOf } from "../payloads.ts";
import { turnText } from "../turns.ts";

const plugin = (place: Place): string => join(place.install, "node_modules", "claude-mem", "plugin");
const settingsPath = (place: Place): string => join(place.home, ".claude-mem", "settings.json");
const hooks = (place: Place) => ({ path: join(plugin(place), "hooks", "hooks.json"), root: plugin(place) });

export const claudeMem: Contestant = {
  name: "claude-mem",
  packages: ["claude-mem@13", "bun@1"],
  purpose: "records sessions by hooks and has a model write observations about them",
  extra:
    "a model's observations of every tool use by default, code navigation tools, a hosted memory, semantic search by Chroma",
  missing: { import: "it imports no transcripts of Claude Code" },
  // Its installer does the same, then stops without uv, which it can only fetch from outside npm.
  async finishInstall(place) {
    const options = { cwd: plugin(place), env: npmEnv(place), timeoutMs: 300_000 };
    await mustRun(place, "bun", ["install", "--production", "--ignore-scripts"], options);
  },
  async prepare(place, { url }) {
    mkdirSync(join(place.home, ".claude-mem"), { recursive: true });
    const settings = {
      CLAUDE_MEM_PROVIDER: "openrouter",
      CLAUDE_MEM_OPENROUTER_API_KEY: "loopback",
      CLAUDE_MEM_OPENROUTER_BASE_URL: `${url}/v1`,
      CLAUDE_MEM_WORKER_PORT: String(await freePort()),
      CLAUDE_MEM_DATA_DIR: join(place.home, ".claude-mem"),
      // Chroma is started with uv, which is a download outside npm.
      CLAUDE_MEM_CHROMA_ENABLED: "false",
    };
    writeFileSync(settingsPath(place), JSON.stringify(settings));
    writeFileSync(join(place.home, ".claude-mem", "telemetry.json"), JSON.stringify({ enabled: false }));
  },
  hooks,
  search: {
    source: "writes",
    how: "turns written by its worker's `/api/memory/save`; MCP tool `search`, which without Chroma looks for the whole query as one phrase",
    server: (place) => ({
      command: "node",
      args: [join(plugin(place), "scripts", "mcp-server.cjs")],
      env: { CLAUDE_PLUGIN_ROOT: plugin(place) },
    }),
    async load(place, sessions) {
      await runHooks(place, hooks(place), payloadOf("SessionStart", place, "load"));
      const settings = JSON.parse(readFileSync(settingsPath(place), "utf8")) as Record<string, string>;
      const address = `http://127.0.0.1:${settings["CLAUDE_MEM_WORKER_PORT"]}/api/memory/save`;
      for (const { tag, turns } of sessions) {
        for (const [index, turn] of turns.entries()) {
          const body = JSON.stringify({ title: `${tag}/${index}`, text: turnText(turn), project: "app" });
          const headers = { "content-type": "application/json" };
          const { status } = await fetch(address, { method: "POST", headers, body });
          if (status !== 200) throw new Error(`/api/memory/save answered ${status}`);
        }
      }
    },
    async find(client, query) {
      const text = await client.call("search", { query, limit: 50 });
      return [...text.matchAll(/\b(s\d{4})\/\d+/g)].map((match) => match[1] ?? "");
    },
  },
  settle: (place) => whenQueueIsEmpty(place),
  modelReply: replyTo,
};

/** Its worker handles one tool use after the other. */
async function whenQueueIsEmpty(place: Place): Promise<void> {
  const settings = JSON.parse(readFileSync(settingsPath(place), "utf8")) as Record<string, string>;
  const address = `http://127.0.0.1:${settings["CLAUDE_MEM_WORKER_PORT"]}/api/processing-status`;
  const end = Date.now() + 120_000;
  for (let quiet = 0; quiet < 3 && Date.now() < end;) {
    await wait(1_000);
    const status = await fetch(address).then(
      (response) => response.json() as Promise<{ isProcessing?: boolean; queueDepth?: number }>,
      () => undefined,
    );
    quiet = status === undefined || (status.isProcessing !== true && (status.queueDepth ?? 0) === 0) ? quiet + 1 : 0;
  }
}

/** An observation of the length that its prompt shows as an example, or a summary. */
function replyTo({ messages }: ChatBody): string {
  const last = messages.at(-1)?.content ?? "";
  if (last.includes("<summary>"))
    return `<summary><request>Repair the order of rows</request><investigated>The query of the store</investigated><learned>${SENTENCE}</learned><completed>${SENTENCE}</completed><next_steps>Push the branch</next_steps><notes></notes></summary>`;
  return `<observation><type>bugfix</type><title>The store sorts rows by time before it applies the limit</title><subtitle>Callers get the latest rows first</subtitle><facts><fact>store.find() takes a limit of 20</fact><fact>Rows come in the order of their time</fact></facts><narrative>${SENTENCE} ${SENTENCE}</narrative><concepts><concept>problem-solution</concept></concepts><files_read></files_read><files_modified></files_modified></observation>`;
}

const SENTENCE =
  "The store returned rows in the order of their keys, because the query had no order of its own; it now sorts by time.";
