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
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { Script } from "node:vm";

/** Kept anew now and then: the first run of all has seen little of what later ones do. */
const RENEW_MS = 10 * 60 * 1000;
const KEY_BYTES = 64;

/**
 * Gives back what the bundle exports; it may need nothing but Node's own modules. `use` is what it is run for: each use needs
 * other functions, and only those that were needed are kept.
 */
export function runCompiled(bundle: string, { folder, use }: { folder: string; use: string }): unknown {
  const stat = statSync(bundle);
  // V8 takes whatever goes with a text of the same length. A file that is written anew has another ctime, whatever its mtime.
  const key = `${stat.size} ${stat.ctimeMs}`.padEnd(KEY_BYTES);
  const file = `${folder}/${basename(bundle, ".cjs")}-${use}-${process.version}-${process.arch}`;
  const kept = readKept(file, key);
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${readFileSync(bundle, "utf8")}\n})`,
    { filename: bundle, ...(kept && { cachedData: kept }) },
  );
  if (kept === undefined || isOld(file)) process.once("exit", () => keep(script, file, key));
  const module = { exports: {} };
  const run = script.runInThisContext() as (...args: unknown[]) => void;
  run.call(module.exports, module.exports, process.getBuiltinModule, module, bundle, dirname(bundle));
  return module.exports;
}

function readKept(file: string, key: string): Buffer | undefined {
  try {
    const kept = readFileSync(file);
    return kept.toString("latin1", 0, KEY_BYTES) === key ? kept.subarray(KEY_BYTES) : undefined;
  } catch {
    return undefined;
  }
}

function isOld(file: string): boolean {
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > RENEW_MS;
}

/** Never throws. V8 trusts what it is given: nothing half-written may ever stand there, not after a power cut either. */
function keep(script: Script, file: string, key: string): void {
  try {
    // Not the data directory itself: whoever has none, or has just deleted it, gets none from here.
    if (!existsSync(dirname(file))) mkdirSync(dirname(file), { mode: 0o700 });
    const temporary = `${file}.${process.pid}`;
    const fd = openSync(temporary, "w", 0o600);
    try {
      writeSync(fd, Buffer.concat([Buffer.from(key), script.createCachedData()]));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
  } catch {
    // A folder that cannot be written, a full disk: the next start compiles again.
  }
}
