// Compiles src/embed/assembly with AssemblyScript. The result is committed as src/embed/kernel.json; a test compiles
// it again and compares.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const COMPILER = join(ROOT, "node_modules", "assemblyscript", "bin", "asc.js");
/** Warning 112: JavaScript cannot call functions with v128 in their signature. None is called from there. */
const FLAGS = "-O3 --converge --runtime stub --noAssert --importMemory --disableWarning 112".split(" ");

/** JSON with base64 in short lines, for readable diffs. `plain` is for engines without relaxed SIMD. */
export function compileKernel(): string {
  return `${JSON.stringify({ relaxed: compile("simd,relaxed-simd"), plain: compile("simd") }, undefined, 2)}\n`;
}

function compile(features: string): string[] {
  const out = join(mkdtempSync(join(tmpdir(), "c-mem-kernel-")), "kernel.wasm");
  const args = ["src/embed/assembly/index.ts", ...FLAGS, "--enable", features, "--outFile", out];
  execFileSync(process.execPath, [COMPILER, ...args], { cwd: ROOT, stdio: "pipe" });
  return readFileSync(out, "base64").match(/.{1,100}/g) ?? [];
}
