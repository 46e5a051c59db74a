// Runs a bundle with cached V8 bytecode: compiling takes most of a short process's time after Node has started.
// Node's own compile cache is not used, because enabling it takes 2 ms.
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname } from "node:path";
import { Script } from "node:vm";
import { replaceFile } from "./replace-file.ts";

/** Bytecode has only the functions that a run called, so the cache is written again after the first runs and later. */
const FIRST_RUNS = 5;
const RENEW_MS = 10 * 60 * 1000;
const HEADER_BYTES = 64;
/** A block that the disk lost reads as zeros. V8 would run it and crash. */
const LOST_BLOCK = Buffer.alloc(2_048);

/** Returns the bundle's exports. Each `use` calls other functions and so has its own cache. No folder: no cache. */
export function runWithBytecodeCache(
  bundle: string,
  { folder, use }: { folder: string | undefined; use: string },
): unknown {
  const stat = statSync(bundle);
  // V8 accepts bytecode of any source with the same length. The ctime, unlike the mtime, changes with every rewrite.
  const key = `${stat.size} ${stat.ctimeMs}`;
  const file = `${folder}/${basename(bundle, ".cjs")}-${use}-${process.version}-${process.arch}`;
  const isEnabled = folder !== undefined && !process.env["NODE_DISABLE_COMPILE_CACHE"];
  const cached = isEnabled ? readCache(file, key) : undefined;
  const script = compile(bundle, cached?.code);
  const runs = (cached?.runs ?? 0) + 1;
  if (isEnabled && (runs <= FIRST_RUNS || isOld(file))) {
    // Not after a failed run: its bytecode lacks the functions that it did not reach.
    process.once("exit", (exitCode) => exitCode === 0 && writeCache(script, file, `${key} ${runs}`));
  }
  const module = { exports: {} };
  const run = script.runInThisContext() as (...args: unknown[]) => void;
  run.call(module.exports, module.exports, createRequire(bundle), module, bundle, dirname(bundle));
  return module.exports;
}

function compile(bundle: string, cachedData: Buffer | undefined): Script {
  // latin1 is the fastest decoder, and the bundles are ASCII.
  const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(bundle, "latin1")}\n})`;
  try {
    return new Script(text, { filename: bundle, ...(cachedData && { cachedData }) });
  } catch (error) {
    // V8's message does not name the file.
    throw new Error(`${bundle} is damaged: ${(error as Error).message}`, { cause: error });
  }
}

function readCache(file: string, key: string): { code: Buffer; runs: number } | undefined {
  try {
    const bytes = readFileSync(file);
    const header = bytes.toString("latin1", 0, HEADER_BYTES);
    if (!header.startsWith(`${key} `) || bytes.includes(LOST_BLOCK)) return undefined;
    return { code: bytes.subarray(HEADER_BYTES), runs: Number(header.slice(key.length)) };
  } catch {
    return undefined;
  }
}

function isOld(file: string): boolean {
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > RENEW_MS;
}

/** Never throws. Durable, because V8 trusts the file: it must not be incomplete, even after a power cut. */
function writeCache(script: Script, file: string, header: string): void {
  try {
    // Creates the cache folder, but never the data directory: the user may have deleted it.
    if (!existsSync(dirname(file))) mkdirSync(dirname(file), { mode: 0o700 });
    replaceFile(file, Buffer.concat([Buffer.from(header.padEnd(HEADER_BYTES)), script.createCachedData()]));
  } catch {
    // Not writable or a full disk: the next start compiles again.
  }
}
