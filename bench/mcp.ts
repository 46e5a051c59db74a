// Measures the time from the start of the MCP server to its first answer, against a bare start of the same Node.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, PLUGIN, wallMs } from "./measure.ts";

const SERVER = join(PLUGIN, "mcp.cjs");
/** Beyond a bare start of Node. An agent's first request waits until the server has started. */
const TARGET_MS = 300;

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
};

export async function benchMcp(rounds: number): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "c-mem-bench-"));
  const empty = join(scratch, "empty.cjs");
  const cache = join(scratch, "cache");
  mkdirSync(cache);
  writeFileSync(empty, "");
  const env = { PATH: process.env["PATH"], HOME: scratch, C_MEM_HOME: join(scratch, "home") };
  const times = { bare: [] as number[], first: [] as number[], again: [] as number[] };
  await timeStart(scratch, { ...env, NODE_COMPILE_CACHE: cache });
  for (let round = 0; round < rounds; round++) {
    times.bare.push(wallMs(() => spawnSync(process.execPath, [empty], { env })));
    times.first.push(await timeStart(scratch, env));
    times.again.push(await timeStart(scratch, { ...env, NODE_COMPILE_CACHE: cache }));
  }
  const [bare, first, again] = [median(times.bare), median(times.first), median(times.again)];
  console.log(`The MCP server's first answer, Node ${process.versions.node} (${rounds} rounds, interleaved, medians)`);
  console.log(`  bare node          ${bare.toFixed(0)} ms`);
  for (const [name, ms] of [
    ["server", first],
    ["cached bytecode", again],
  ] as const)
    console.log(`  ${name.padEnd(18)} ${(ms / bare).toFixed(2)}  +${(ms - bare).toFixed(0)} ms`);
  console.log(`  target: at most +${TARGET_MS} ms`);
  rmSync(scratch, { recursive: true, force: true });
}

/** Milliseconds from the start of the process to its first answer. */
function timeStart(cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  const start = performance.now();
  const server = spawn(process.execPath, [SERVER], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  server.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  return new Promise((done) => {
    let elapsed = 0;
    server.stdout.once("data", () => {
      elapsed = performance.now() - start;
      server.stdin.end();
    });
    server.on("close", () => done(elapsed));
  });
}
