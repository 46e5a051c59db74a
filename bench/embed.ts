// Measures embedding and the vector scan against plain JavaScript with the same multiplications. Embedding needs the
// model that is installed in C_MEM_HOME; without it only the scan is measured.
import { spawnSync } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { resolvePaths } from "../src/config/paths.ts";
import { createCodeScan, PREFILTER_FROM } from "../src/embed/code-scan.ts";
import { type Engine, loadEngine } from "../src/embed/engine.ts";
import { embedInPasses } from "../src/embed/local.ts";
import { minilmFile } from "../src/embed/minilm.ts";
import { codesOf, recordBytes } from "../src/core/vector-record.ts";
import { createScan } from "../src/embed/scan.ts";
import { openSpawned } from "../src/embed/spawned.ts";
import { cpuMs, wallMs } from "./measure.ts";

const DIMENSIONS = 384;
const SIZES = [100_000, 1_000_000];
const SHORT = "How do we fix the flaky login test on Windows?";
const LONG = "The worker takes a lease on a job, does it, and writes the result in one transaction. ".repeat(20);

export async function benchEmbed(rounds: number): Promise<void> {
  const paths = resolvePaths(process.env);
  if (existsSync(minilmFile(paths))) {
    benchModel(minilmFile(paths), rounds);
    await benchMemory();
  } else {
    console.log("embed: no model to measure (c-mem model install)");
  }
  for (const size of SIZES) benchScan(size, Math.min(rounds, 15));
}

function benchModel(path: string, rounds: number): void {
  console.log(
    `Embedding (Node ${process.versions.node}); the fastest of ${rounds} runs, and as a share of the time in plain JavaScript`,
  );
  const bare = fastest(5, () => void spawnSync(process.execPath, ["-e", "0"]));
  const load = fastest(5, () => void loadEngine(path));
  console.log(`  load                 ${ms(load)}   ${(load / bare).toFixed(2)} bare starts of Node`);
  const engine = loadEngine(path);
  const rate = plainRate();
  const short = engine.tokenize(SHORT);
  const long = engine.tokenize(LONG);
  report("one short text", engine, [short], rounds, rate);
  report("256 tokens", engine, [long], Math.ceil(rounds / 3), rate);
  const many = Array.from({ length: 200 }, (_, index) => `${SHORT} ${index}`);
  console.log(`  short texts in a row ${(1 / cpuSeconds(engine, many)).toFixed(0)} per second of CPU time`);
  const longs = Array.from({ length: 20 }, () => LONG);
  console.log(`  256 tokens in a row  ${(1 / cpuSeconds(engine, longs)).toFixed(0)} per second of CPU time`);
}

/** Per text. */
function cpuSeconds(engine: Engine, texts: readonly string[]): number {
  return cpuMs(() => [...embedInPasses(engine, texts)]) / 1000 / texts.length;
}

function report(name: string, engine: Engine, texts: number[][], rounds: number, rate: number): void {
  const time = fastest(rounds, () => void engine.forward(texts));
  const tokens = texts.flat().length;
  const plain = (tokens * multiplications(engine)) / rate;
  console.log(`  ${name.padEnd(20)} ${ms(time)}   ${(time / plain).toFixed(3)} of plain   (${tokens} tokens)`);
}

/** Multiplications in the dense layers, per token. */
function multiplications({ shape: { hidden, intermediate, layers } }: Engine): number {
  return layers * (4 * hidden * hidden + 2 * hidden * intermediate);
}

/** Multiplications per millisecond of a dense layer in plain JavaScript. */
function plainRate(): number {
  const [tokens, inputs, outputs] = [16, 384, 1536];
  const x = new Float32Array(tokens * inputs).fill(0.5);
  const w = new Float32Array(inputs * outputs).fill(0.25);
  const y = new Float32Array(tokens * outputs);
  const time = fastest(10, () => {
    for (let t = 0; t < tokens; t++) {
      for (let o = 0; o < outputs; o++) {
        let sum = 0;
        for (let i = 0; i < inputs; i++) sum += (x[t * inputs + i] as number) * (w[o * inputs + i] as number);
        y[t * outputs + o] = sum;
      }
    }
  });
  return (tokens * inputs * outputs) / time;
}

async function benchMemory(): Promise<void> {
  const embedder = await openSpawned(resolvePaths(process.env));
  await embedder.embed(Array.from({ length: 30 }, () => LONG));
  if (process.platform === "linux") {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${embedder.pid}/status`, "utf8"))?.[1];
    console.log(`  peak memory        ${(Number(peak) / 1024).toFixed(0)} MB   target: under 200 MB`);
  }
  await embedder.close();
}

function benchScan(size: number, rounds: number): void {
  const stride = recordBytes(DIMENSIONS);
  const records = randomRecords(size, stride);
  const query = Float32Array.from({ length: DIMENSIONS }, (_, index) => Math.sin(index));
  const [scan, codes] = [createScan(DIMENSIONS), createCodeScan(DIMENSIONS)];
  scan.put(0, records);
  codes.put(0, codesOf(records, DIMENSIONS));
  const read = (rows: readonly number[]): Uint8Array =>
    Buffer.concat(rows.map((row) => records.subarray(row * stride, (row + 1) * stride)));
  const used = size < PREFILTER_FROM ? "8 bits" : "1 bit, then 8";
  console.log(
    `Scanning ${size.toLocaleString("en")} vectors of ${DIMENSIONS} for the ten nearest (C-Mem uses ${used} at this size); the fastest of ${rounds} runs`,
  );
  const plain = fastest(3, () => plainScan(records, stride, query));
  const line = (name: string, run: () => void): void => {
    const time = fastest(rounds, run);
    console.log(`  ${name.padEnd(20)} ${ms(time)}   ${(time / plain).toFixed(3)} of plain`);
  };
  console.log(`  ${"plain JavaScript".padEnd(20)} ${ms(plain)}   1.000`);
  line("8 bits, in memory", () => void scan.search(query, { limit: 10 }));
  line("1 bit, then 8", () => void codes.search(query, { limit: 10, candidates: 200, read }));
}

function randomRecords(size: number, stride: number): Uint8Array {
  const records = new Uint8Array(size * stride);
  // In parts, because randomFillSync fills at most 2 GB.
  for (let at = 0; at < records.length; at += 2 ** 26) randomFillSync(records.subarray(at, at + 2 ** 26));
  const view = new DataView(records.buffer);
  for (let row = 0; row < size; row++) view.setFloat32((row + 1) * stride - 4, 0.0007, true);
  return records;
}

function plainScan(records: Uint8Array, stride: number, query: Float32Array): void {
  const numbers = new Int8Array(records.buffer);
  const view = new DataView(records.buffer);
  let best = -Infinity;
  for (let at = 0; at < numbers.length; at += stride) {
    let sum = 0;
    for (let index = 0; index < DIMENSIONS; index++) sum += (numbers[at + index] as number) * (query[index] as number);
    best = Math.max(best, sum * view.getFloat32(at + DIMENSIONS, true));
  }
  if (!Number.isFinite(best)) throw new Error("The scan found nothing");
}

/** The fastest time after a warm-up run. */
function fastest(rounds: number, run: () => void): number {
  run();
  return Math.min(...Array.from({ length: rounds }, () => wallMs(run)));
}

function ms(time: number): string {
  return `${time.toFixed(1).padStart(7)} ms`;
}
