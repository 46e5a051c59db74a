// c-mem for scripts that create the data directory themselves: writes config.json, then runs the real command.
// C_MEM_BENCH_CONFIG has the settings; in them, {home} stands for the encoded path of the data directory.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const BIN = resolve(import.meta.dirname, "..", "bin", "c-mem.cjs");
const home = process.env["C_MEM_HOME"] ?? "";
const config = join(home, "config.json");

if (!existsSync(config)) {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const settings = (process.env["C_MEM_BENCH_CONFIG"] ?? "{}").replaceAll("{home}", encodeURIComponent(home));
  writeFileSync(config, settings);
}
delete process.env["C_MEM_BENCH_CONFIG"];
process.argv[1] = BIN;
createRequire(import.meta.url)(BIN);
