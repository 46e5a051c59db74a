// A whole session of an editor without hooks, reported to C-Mem over HTTP. Node 22 or newer, no packages.
//   node editor.mjs /path/to/project
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const home = process.env.C_MEM_HOME || join(homedir(), ".c-mem");
const { port, token } = JSON.parse(readFileSync(join(home, "server.json"), "utf8"));
const cwd = resolve(process.argv[2] ?? ".");
const sessionId = process.argv[3] ?? `example-${process.pid}`;

/** The editor never waits longer than two seconds and ignores every error. */
async function report(path, body) {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ sessionId, cwd, agent: "example", ...body }),
      signal: AbortSignal.timeout(2_000),
    });
    return (await response.json()).data;
  } catch {
    return undefined;
  }
}

// 1. A session starts: put the project's memory into the agent's context.
const answer = await fetch(`http://127.0.0.1:${port}/api/context/inject?cwd=${encodeURIComponent(cwd)}`, {
  headers: { Authorization: `Bearer ${token}` },
}).catch(() => undefined);
const context = answer?.ok ? await answer.text() : "";

// 2. The person types something. 3. The agent uses tools. 4. The turn ends. 5. The session ends.
const prompt = await report("/sessions/init", { prompt: "Keep the cache in SQLite from now on", prompt_id: "1" });
const use = { tool_name: "Write", tool_use_id: "use-1", prompt_id: "1" };
const input = { file_path: join(cwd, "cache.js"), content: "export const cache = new Map();\n" };
await report("/api/sessions/observations", { ...use, tool_input: input, tool_response: { type: "create" } });
await report("/api/sessions/summarize", { last_assistant_message: "The cache is kept in SQLite now.", prompt_id: "1" });
await report("/api/sessions/complete", { reason: "exit" });

console.log(JSON.stringify({ session: prompt, context_chars: context.length }));
