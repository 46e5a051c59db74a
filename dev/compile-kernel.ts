// Compiles src/embed/assembly with AssemblyScript. The result is committed as src/embed/kernel.json, and a test compiles it
// again: the bytes in the bundle are always those of the source beside them.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const COMPILER = join(ROOT, "node_modules", "assemblyscript", "bin", "asc.js");
/** 112: v128 in signatures; those functions are never called from outside. */
const FLAGS = "-O3 --converge --runtime stub --noAssert --importMemory --enable simd --disableWarning 112".split(" ");

/** JSON: base64, in lines that a diff can show. */
export function compileKernel(): string {
  const out = join(mkdtempSync(join(tmpdir(), "c-mem-kernel-")), "kernel.wasm");
  execFileSync(process.execPath, [COMPILER, "src/embed/assembly/index.ts", ...FLAGS, "--outFile", out], { cwd: ROOT });
  return `${JSON.stringify(readFileSync(out, "base64").match(/.{1,100}/g), undefined, 2)}\n`;
}
