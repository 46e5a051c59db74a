// Runs a bundle whose compiled code is kept in the data directory: compiling is most of what a short process takes beyond a
// bare start of Node, and Node's own cache of it takes two milliseconds to be asked.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname } from "node:path";
import { Script } from "node:vm";

/** Kept anew after each of the first runs, which have seen little of what later ones do, and then now and then. */
const FIRST_RUNS = 5;
const RENEW_MS = 10 * 60 * 1000;
const HEADER_BYTES = 64;
/** What a disk gives back for a block it has lost. V8 would run it, and fall over. */
const LOST = Buffer.alloc(2_048);

/**
 * Gives back what the bundle exports. `use` is what it is run for: each use needs
 * other functions, and only those that were needed are kept. Without a folder, and where Node is told to keep no code, nothing is kept.
 */
export function runWithBytecodeCache(
  bundle: string,
  { folder, use }: { folder: string | undefined; use: string },
): unknown {
  const stat = statSync(bundle);
  // V8 takes whatever goes with a text of the same length. A file that is written anew has another ctime, whatever its mtime.
  const key = `${stat.size} ${stat.ctimeMs}`;
  const file = `${folder}/${basename(bundle, ".cjs")}-${use}-${process.version}-${process.arch}`;
  const isKept = folder !== undefined && !process.env["NODE_DISABLE_COMPILE_CACHE"];
  const kept = isKept ? readKept(file, key) : undefined;
  const script = compile(bundle, kept?.code);
  const runs = (kept?.runs ?? 0) + 1;
  if (isKept && (runs <= FIRST_RUNS || isOld(file))) {
    // A run that failed has seen little.
    process.once("exit", (exitCode) => exitCode === 0 && keep(script, file, `${key} ${runs}`));
  }
  const module = { exports: {} };
  const run = script.runInThisContext() as (...args: unknown[]) => void;
  run.call(module.exports, module.exports, createRequire(bundle), module, bundle, dirname(bundle));
  return module.exports;
}

function compile(bundle: string, cachedData: Buffer | undefined): Script {
  // The bundles have nothing but ASCII in them, which needs no decoding.
  const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(bundle, "latin1")}\n})`;
  try {
    return new Script(text, { filename: bundle, ...(cachedData && { cachedData }) });
  } catch (error) {
    // V8's own words do not say where.
    throw new Error(`${bundle} is damaged: ${(error as Error).message}`, { cause: error });
  }
}

function readKept(file: string, key: string): { code: Buffer; runs: number } | undefined {
  try {
    const kept = readFileSync(file);
    const header = kept.toString("latin1", 0, HEADER_BYTES);
    if (!header.startsWith(`${key} `) || kept.includes(LOST)) return undefined;
    return { code: kept.subarray(HEADER_BYTES), runs: Number(header.slice(key.length)) };
  } catch {
    return undefined;
  }
}

function isOld(file: string): boolean {
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > RENEW_MS;
}

/** Never throws. V8 trusts what it is given: nothing half-written may ever stand there, not after a power cut either. */
function keep(script: Script, file: string, header: string): void {
  const temporary = `${file}.${process.pid}`;
  try {
    // Not the data directory itself: whoever has none, or has just deleted it, gets none from here.
    if (!existsSync(dirname(file))) mkdirSync(dirname(file), { mode: 0o700 });
    const bytes = Buffer.concat([Buffer.from(header.padEnd(HEADER_BYTES)), script.createCachedData()]);
    const fd = openSync(temporary, "w", 0o600);
    const isWhole = writeSync(fd, bytes) === bytes.length;
    fsyncSync(fd);
    closeSync(fd);
    if (isWhole) renameSync(temporary, file);
    else rmSync(temporary);
  } catch {
    // A folder that cannot be written, a full disk: the next start compiles again.
    rmSync(temporary, { force: true });
  }
}
