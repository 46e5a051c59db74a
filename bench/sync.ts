// How fast history comes in: a first sync and one with nothing new, against JSON.parse of the very same lines.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { line, sessionId, transcript, TURNS } from "./history.ts";

const ROOT = resolve(import.meta.dirname, "..");
const SESSIONS = 60;
/** For the sync that finds nothing new. */
const MANY_FILES = 5_000;

export async function benchSync(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "c-mem-sync-bench-"));
  const folder = join(home, ".claude", "projects", "-work-app");
  mkdirSync(folder, { recursive: true });
  const paths = Array.from({ length: SESSIONS }, (_, index) => join(folder, `${sessionId(index)}.jsonl`));
  for (const [index, path] of paths.entries()) writeFileSync(path, transcript(index));
  const parse = timed(() => parseAll(paths));
  const first = sync(home);
  console.log(`Bringing in ${(parse.value / 1e6).toFixed(0)} MB of transcripts (Node ${process.versions.node})`);
  const rate = (ms: number) => `${(parse.value / 1000 / ms).toFixed(0)} MB/s`;
  console.log(`  JSON.parse of every line   1.00  ${rate(parse.ms)}`);
  console.log(
    `  first sync, search ready   ${(parse.ms / first.ms).toFixed(2)}  ${rate(first.ms)}, peak ${first.peakMb} MB   wanted: at least 0.30, under 300 MB`,
  );
  const bare = Math.min(...[1, 2, 3, 4, 5].map(() => timed(() => spawnSync(process.execPath, ["-e", "0"])).ms));
  for (let index = 0; index < MANY_FILES; index++)
    writeFileSync(join(folder, `${sessionId(10_000 + index)}.jsonl`), "");
  sync(home);
  console.log(
    `  nothing new, ${MANY_FILES.toLocaleString("en")} files   ${(sync(home).ms / bare).toFixed(1)} bare starts of Node`,
  );
  writeFileSync(
    paths[0] ?? "",
    transcript(0) + line(0, TURNS + 1, { type: "user", promptId: "late", message: { content: "one more line" } }),
  );
  console.log(
    `  one line more              ${(sync(home).ms / bare).toFixed(1)} bare starts of Node   wanted: at most 1.5`,
  );
  rmSync(home, { recursive: true, force: true });
}

function sync(home: string): { ms: number; peakMb: number } {
  const args = [
    "-e",
    `process.on("exit", () => console.error("peak", process.resourceUsage().maxRSS)); process.argv.splice(1, 0, "c-mem"); require(${JSON.stringify(join(ROOT, "bin", "c-mem.cjs"))})`,
    "sync",
    "--quiet",
  ];
  const { ms, value } = timed(() =>
    spawnSync(process.execPath, args, {
      env: { PATH: process.env["PATH"], C_MEM_WORKER: "0", HOME: home },
      encoding: "utf8",
    }),
  );
  if (value.status !== 0) throw new Error(value.stderr);
  return { ms, peakMb: Math.round(Number(/peak (\d+)/.exec(value.stderr)?.[1] ?? 0) / 1024) };
}

function parseAll(paths: readonly string[]): number {
  let bytes = 0;
  for (const path of paths) {
    const buffer = readFileSync(path);
    bytes += buffer.length;
    let start = 0;
    for (let end = buffer.indexOf(10); end !== -1; end = buffer.indexOf(10, start)) {
      JSON.parse(buffer.toString("utf8", start, end));
      start = end + 1;
    }
  }
  return bytes;
}

function timed<T>(work: () => T): { ms: number; value: T } {
  const start = performance.now();
  const value = work();
  return { ms: performance.now() - start, value };
}
