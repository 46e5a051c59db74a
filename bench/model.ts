// Estimates the input tokens of the requests that each provider sends for sixty tool uses of 3 KB.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProviderName } from "../src/config/schema.ts";
import { estimateTokens } from "../src/core/tokens.ts";
import type { LlmRequest } from "../src/llm/provider.ts";
import { openProvider } from "../src/llm/providers.ts";
import { turnRequest } from "../src/memory/enrich/turn-prompt.ts";
import { turnRecord } from "../src/memory/enrich/turn-record.ts";
import type { TurnEvidence } from "../src/store/reads/turn-evidence.ts";

const TOOL_USES = 60;
const TOOL_CHARS = 3_000;
const TARGET_TOKENS = 100_000;
/** Tokens sent by claude-mem 13.25 for the same work. Each tool use is a request with all earlier tool uses. */
const CLAUDE_MEM = 2_470_000;
const WORDS = "const rows = await store.find(query, { limit: 20 }); // in the order of their time\n";

export async function benchModel(): Promise<void> {
  console.log(
    `A model and ${TOOL_USES} tool uses, ${(TOOL_USES * TOOL_CHARS) / 1000} KB of text (estimated input tokens)`,
  );
  for (const name of ["anthropic", "openai", "claude"] as const) {
    for (const turns of [1, 6, TOOL_USES]) {
      const tokens = await sentBy(name, requestsFor(turns));
      const ratio = (tokens / CLAUDE_MEM).toFixed(3);
      const verdict = tokens < TARGET_TOKENS ? "" : "   TOO MANY";
      console.log(
        `  ${name.padEnd(10)} in ${String(turns).padStart(2)} turns  ${ratio} of claude-mem's  ${tokens.toLocaleString("en").padStart(8)}   target: under ${TARGET_TOKENS.toLocaleString("en")}${verdict}`,
      );
    }
  }
}

function requestsFor(turns: number): LlmRequest[] {
  return Array.from({ length: turns }, (_, turn) => {
    const evidence = turnOf(turn, TOOL_USES / turns);
    return turnRequest(evidence, turnRecord(evidence));
  });
}

function turnOf(turn: number, tools: number): TurnEvidence {
  const prompt = { id: `p${turn}`, number: turn + 1, text: `Task ${turn}: repair the store`, response: "Done.", at: 0 };
  return {
    projectId: 1,
    project: "app",
    root: "/app",
    cwd: "/app",
    prompt: { ...prompt, endedAt: 1, state: "completed" as const, hasCheckpoint: false },
    messages: [],
    toolUses: Array.from({ length: tools }, (_, tool) => ({
      id: `t${turn * tools + tool}`,
      name: "Bash",
      input: { command: `npm run step-${tool}` },
      output: WORDS.repeat(TOOL_CHARS).slice(0, TOOL_CHARS),
      isError: false,
      exitCode: 0,
      isSubagent: false,
      at: tool,
      files: [],
    })),
    commits: [],
    earlierTaskUses: [],
  };
}

/** Sends the requests to a server or `claude` command that only records them. Estimates the tokens of the record. */
async function sentBy(name: Exclude<ProviderName, "none">, requests: readonly LlmRequest[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "c-mem-model-"));
  const log = join(folder, "log");
  writeFileSync(log, "");
  writeFileSync(join(folder, "claude"), `#!/bin/sh\nprintf '%s\\n' "$@" >> ${log}\ncat >> ${log}\n`);
  chmodSync(join(folder, "claude"), 0o755);
  let received = "";
  const server = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (chunk: string) => (received += chunk));
    request.on("end", () => response.writeHead(401).end("{}"));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const provider = openProvider(
    { provider: name, model: "", baseUrl: `http://127.0.0.1:${port}`, apiKeyEnv: "", modelTimeoutSeconds: 60 },
    { PATH: `${folder}:${process.env["PATH"]}`, HOME: folder },
  );
  if (provider === undefined) throw new Error(`There is no provider ${name}.`);
  for (const request of requests) await provider.complete(request).catch(() => undefined);
  server.close();
  received += readFileSync(log, "utf8");
  rmSync(folder, { recursive: true, force: true });
  return estimateTokens(received);
}
