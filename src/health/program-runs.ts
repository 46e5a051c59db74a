// Whether what the client runs does run: asked of the programs themselves, not of the files they are in.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { BUNDLES, bundlePath, pluginFolder } from "../agents/claude-code/install.ts";
import { type ClaudeSite, isInstalled } from "../agents/claude-code/site.ts";
import { readInstall } from "../platform/state/install-record.ts";
import type { Paths } from "../config/paths.ts";
import type { Check } from "./health.ts";

/** Not "is the file there": the hook is run, as the client would, with nothing on stdin. */
export function checkHookRuns(paths: Paths, site: ClaudeSite): Check | undefined {
  const record = readInstall(paths.install);
  const node = site.hooks[0]?.node ?? record?.node;
  const bundle = site.hooks[0]?.bundle ?? bundlePath(paths.plugin);
  if (!isInstalled(site) || node === undefined) return undefined;
  const { status, stdout, error } = spawnSync(node, [bundle, "save"], { input: "", encoding: "utf8", timeout: 10_000 });
  if (status === 0 && stdout.includes('"continue":true'))
    return { name: "hook runs", state: "ok", message: `${node} ${bundle}` };
  return {
    name: "hook runs",
    state: "fail",
    message: `${node} ${bundle} does not run${error ? `: ${error.message}` : ""}`,
    fix: "Run: c-mem install",
  };
}

/** Most parts are loaded only now and then: a broken one would not be noticed. */
export function checkParts(paths: Paths): Check | undefined {
  if (readInstall(paths.install) === undefined) return undefined;
  const name = "installed parts";
  const dist = join(pluginFolder(paths.plugin), "dist");
  const broken = BUNDLES.filter((bundle) => !isProgram(join(dist, bundle)));
  if (!existsSync(join(dist, "viewer", "index.html"))) broken.push("viewer");
  if (broken.length === 0) return { name, state: "ok", message: `whole, in ${dist}` };
  const message = `missing or damaged in ${dist}: ${broken.join(", ")}`;
  return { name, state: "fail", message, fix: "Run: c-mem install (or c-mem doctor --fix)" };
}

/** Cut off between two words it would still be one, but for its end. */
function isProgram(path: string): boolean {
  try {
    const text = readFileSync(path, "utf8");
    return /[;}]\s*$/.test(text.slice(-8)) && new Script(`(function () {${text}\n})`) instanceof Script;
  } catch {
    return false;
  }
}

/** The MCP server is started as the client would, and asked for its version. */
export function checkTools(paths: Paths, site: ClaudeSite): Check | undefined {
  const name = "memory tools";
  if (!isInstalled(site)) return undefined;
  if (!site.pluginEnabled && site.mcpServer === undefined) {
    return { name, state: "warn", message: `not registered in ${site.statePath}`, fix: "Run: c-mem install" };
  }
  if (!site.pluginEnabled && site.mcpServer === "other")
    return { name, state: "ok", message: `${site.statePath} has a server c-mem of the user's own` };
  const own = typeof site.mcpServer === "object" ? site.mcpServer : undefined;
  const node = own?.node ?? readInstall(paths.install)?.node;
  const bundle = own?.bundle ?? join(pluginFolder(paths.plugin), "dist", "mcp.cjs");
  // A plugin that was installed by hand: what the client runs is not known.
  if (node === undefined) return undefined;
  const { status } = spawnSync(node, [bundle, "--version"], { encoding: "utf8", timeout: 10_000 });
  if (status === 0) return { name, state: "ok", message: `${node} ${bundle}` };
  return { name, state: "fail", message: `${node} ${bundle} does not run`, fix: "Run: c-mem install" };
}
