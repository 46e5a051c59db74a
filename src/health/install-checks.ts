// Checks of Node, the data directory's permissions and Claude Code's hooks and tools.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { HOOKS } from "../agents/claude-code/settings.ts";
import { BUNDLES, bundlePath, pluginFolder } from "../agents/claude-code/install.ts";
import { isReadByClaudeCode } from "../agents/claude-code/settings.ts";
import { type ClaudeSite, isInstalled } from "../agents/claude-code/site.ts";
import { AppError } from "../core/error.ts";
import { VERSION } from "../core/version.ts";
import { mayRestrict } from "../platform/private-file.ts";
import { hasSqlite } from "../store/db/driver.ts";
import { type CheckRow, fail, type HealthContext, ok, onSite, type Result, warn } from "./check.ts";

const INSTALL = "Run: c-mem install";

export function checkNode(): Result {
  const message = `Node ${process.versions.node}`;
  return hasSqlite() ? ok(message) : fail(`${message} has no SQLite; 22.16 or newer is needed`, INSTALL);
}

export function checkPermissions({ paths: { home, database, spool, server } }: HealthContext): Result | undefined {
  if (process.platform === "win32" || !existsSync(home)) return undefined;
  const open = [home, database, spool, server].filter(
    (path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0,
  );
  if (open.length === 0) return ok("only you can read the data directory");
  if (mayRestrict(home, statSync(home).mode)) {
    const fix = `Run: c-mem doctor --fix (or chmod -R go-rwx ${home})`;
    return fail(`others on this machine can read ${open.join(", ")}`, fix);
  }
  return fail(
    `the data directory ${home} is your home folder or a folder shared by all users`,
    "Move C-Mem's files to a new folder and set C_MEM_HOME to it",
  );
}

export const CLAUDE_CHECKS: readonly CheckRow[] = [
  ["claude settings", ({ site }) => (site instanceof AppError ? fail(site.message, site.hint ?? "") : undefined)],
  ["hooks installed", onSite(checkHooks)],
  ["version", onSite(checkVersion)],
  ["installed parts", checkBundles],
  ["hook runs", onSite(checkHookRuns)],
  ["memory tools", onSite(checkTools)],
];

function checkHooks(site: ClaudeSite, { record }: HealthContext): Result {
  if (site.settingsText !== undefined && !isReadByClaudeCode(site.settingsText)) {
    const message = `Claude Code ignores all of ${site.settingsPath}: it has comments or a trailing comma`;
    return fail(message, "Remove them, then restart Claude Code");
  }
  if (site.hooksDisabled) return fail(`disableAllHooks is set in ${site.settingsPath}`, "Remove that line");
  if (!isInstalled(site)) {
    const others = Object.keys(record?.agents ?? {});
    if (others.length === 0) return fail(`no hooks in ${site.configDir}`, INSTALL);
    return ok(`not in Claude Code, but in ${others.join(", ")}`);
  }
  if (site.pluginEnabled) {
    if (site.hooks.length === 0) return ok("as a plugin");
    return warn("both as a plugin and in settings.json: every hook runs twice", INSTALL);
  }
  const missing = HOOKS.filter(({ event }) => !site.hooks.some((hook) => hook.event === event));
  if (missing.length === 0) return ok(`in ${site.settingsPath}`);
  return fail(`missing: ${missing.map((hook) => hook.event).join(", ")}`, INSTALL);
}

function checkVersion(site: ClaudeSite, context: HealthContext): Result | undefined {
  const { record } = context;
  if (record === undefined || record.version === VERSION) return undefined;
  if (!isInstalled(site) || checkHooks(site, context).state !== "ok") return undefined;
  return warn(`the installed hooks have version ${record.version}, c-mem has ${VERSION}`, INSTALL);
}

/** Most bundles are loaded rarely, so no one would notice a damaged one soon. */
function checkBundles({ paths, record }: HealthContext): Result | undefined {
  if (record === undefined) return undefined;
  const dist = join(pluginFolder(paths.plugin), "dist");
  const broken = BUNDLES.filter((bundle) => !isIntactScript(join(dist, bundle)));
  if (!existsSync(join(dist, "viewer", "index.html"))) broken.push("viewer");
  if (broken.length === 0) return ok(`complete, in ${dist}`);
  return fail(`missing or damaged in ${dist}: ${broken.join(", ")}`, `${INSTALL} (or c-mem doctor --fix)`);
}

/** Also checks the end of the file: a file truncated after a complete statement still compiles. */
function isIntactScript(path: string): boolean {
  try {
    const text = readFileSync(path, "utf8");
    return /[;}]\s*$/.test(text.slice(-8)) && new Script(`(function () {${text}\n})`) instanceof Script;
  } catch {
    return false;
  }
}

/** Runs the hook as Claude Code would, with nothing on stdin. */
function checkHookRuns(site: ClaudeSite, { paths, record }: HealthContext): Result | undefined {
  const { node = record?.node, bundle = bundlePath(paths.plugin) } = site.hooks[0] ?? {};
  if (!isInstalled(site) || node === undefined) return undefined;
  const { status, stdout, error } = spawnSync(node, [bundle, "save"], { input: "", encoding: "utf8", timeout: 10_000 });
  if (status === 0 && stdout.includes('"continue":true')) return ok(`${node} ${bundle}`);
  return fail(`${node} ${bundle} does not run${error ? `: ${error.message}` : ""}`, INSTALL);
}

/** Starts the MCP server as Claude Code would, and asks it for its version. */
function checkTools(site: ClaudeSite, { paths, record }: HealthContext): Result | undefined {
  const { mcpServer, pluginEnabled, statePath } = site;
  if (!isInstalled(site)) return undefined;
  if (!pluginEnabled && mcpServer === undefined) return warn(`not registered in ${statePath}`, INSTALL);
  if (!pluginEnabled && mcpServer === "other") return ok(`${statePath} has another server named c-mem`);
  const server = typeof mcpServer === "object" ? mcpServer : undefined;
  const node = server?.node ?? record?.node;
  const bundle = server?.bundle ?? join(pluginFolder(paths.plugin), "dist", "mcp.cjs");
  // `node` is unknown if the plugin was installed by hand.
  if (node === undefined) return undefined;
  const { status } = spawnSync(node, [bundle, "--version"], { encoding: "utf8", timeout: 10_000 });
  return status === 0 ? ok(`${node} ${bundle}`) : fail(`${node} ${bundle} does not run`, INSTALL);
}
