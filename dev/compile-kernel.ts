// Compiles src/embed/assembly with AssemblyScript. The result is committed as src/embed/kernel.json; a test compiles
// it again and compares.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const COMPILER = join(ROOT, "node_modules", "assemblyscript", "bin", "asc.js");
/** Warning 112: JavaScript cannot call functions with v128 in their signature. None is called from there. */
const FLAGS = "-O3 --converge --runtime stub --noAssert --importMemory --enable simd,relaxed-simd --disableWarning 112".split(" ");

/** JSON with base64 in short lines, for readable diffs. */
export function compileKernel(): string {
  const out = join(mkdtempSync(join(tmpdir(), "c-mem-kernel-")), "kernel.wasm");
  execFileSync(process.execPath, [COMPILER, "src/embed/assembly/index.ts", ...FLAGS, "--outFile", out], { cwd: ROOT });
  return `${JSON.stringify(readFileSync(out, "base64").match(/.{1,100}/g), undefined, 2)}\n`;
}
