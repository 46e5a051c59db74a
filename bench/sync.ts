// Measures a first sync against JSON.parse of the same lines, and later syncs against a bare start of Node.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { line, sessionId, transcript, TURNS } from "./history.ts";
import { BIN, printRatios, type Sample, wallMs } from "./measure.ts";

const SESSIONS = 60;
/** Empty transcripts that are added for the later syncs. */
const MANY_FILES = 5_000;

export async function benchSync(rounds: number): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "c-mem-sync-bench-"));
  const folder = join(home, ".claude", "projects", "-work-app");
  mkdirSync(folder, { recursive: true });
  const paths = Array.from({ length: SESSIONS }, (_, index) => join(folder, `${sessionId(index)}.jsonl`));
  for (const [index, path] of paths.entries()) writeFileSync(path, transcript(index));
  let bytes = 0;
  const parseMs = wallMs(() => (bytes = parseAll(paths)));
  const first = sync(home);
  console.log(`Importing ${(bytes / 1e6).toFixed(0)} MB of transcripts (Node ${process.versions.node})`);
  const rate = (ms: number) => `${(bytes / 1000 / ms).toFixed(0)} MB/s`;
  console.log(`  JSON.parse of every line   1.00  ${rate(parseMs)}`);
  console.log(
    `  first sync, search ready   ${(parseMs / first.ms).toFixed(2)}  ${rate(first.ms)}, peak ${first.peakMb} MB   targets: at least 0.30 of the speed of JSON.parse, under 300 MB`,
  );
  for (let index = 0; index < MANY_FILES; index++)
    writeFileSync(join(folder, `${sessionId(10_000 + index)}.jsonl`), "");
  sync(home);
  const small = mkdtempSync(join(tmpdir(), "c-mem-sync-bench-"));
  mkdirSync(join(small, ".claude", "projects", "-work-app"), { recursive: true });
  const only = join(small, ".claude", "projects", "-work-app", `${sessionId(0)}.jsonl`);
  writeFileSync(only, transcript(0));
  const empty = join(small, "empty.cjs");
  writeFileSync(empty, "");
  const start =
    (root: string, ...args: string[]) =>
    () => {
      const env = { PATH: process.env["PATH"], C_MEM_WORKER: "0", HOME: root };
      if (spawnSync(process.execPath, args, { env }).status !== 0) throw new Error(`sync in ${root} failed`);
    };
  const again = (root: string) => start(root, BIN, "sync", "--quiet");
  const many = (MANY_FILES + SESSIONS).toLocaleString("en");
  const samples: Sample[] = [
    { name: "bare node", run: start(small, empty) },
    { name: "nothing new, one file", run: again(small) },
    { name: "one line more, one file", before: () => addLine(only), run: again(small) },
    { name: `nothing new, ${many} files`, run: again(home) },
    { name: `one line more, ${many} files`, before: () => addLine(paths[0] ?? ""), run: again(home) },
  ];
  // Warm-up, because the first runs write the bytecode cache.
  for (let round = 0; round < 3; round++) {
    for (const { before, run } of samples) {
      before?.();
      run();
    }
  }
  console.log(`Later syncs against a bare start of Node (${rounds} rounds, interleaved)`);
  printRatios(samples, rounds);
  console.log("  target for one line more: at most 1.50");
  rmSync(small, { recursive: true, force: true });
  rmSync(home, { recursive: true, force: true });
}

let added = 0;

function addLine(path: string): void {
  const value = { type: "user", promptId: `late${added++}`, message: { content: `one more line, ${added}` } };
  appendFileSync(path, line(0, TURNS + added, value));
}

function sync(home: string): { ms: number; peakMb: number } {
  const args = [
    "-e",
    `process.on("exit", () => console.error("peak", process.resourceUsage().maxRSS)); process.argv.splice(1, 0, "c-mem"); require(${JSON.stringify(BIN)})`,
    "sync",
    "--quiet",
  ];
  const env = { PATH: process.env["PATH"], C_MEM_WORKER: "0", HOME: home };
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(stderr);
  return { ms, peakMb: Math.round(Number(/peak (\d+)/.exec(stderr)?.[1] ?? 0) / 1024) };
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
