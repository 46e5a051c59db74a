// c-mem uninstall: removes the hooks. The data stays, unless --purge deletes it.
import { findFallbackSpools } from "../../capture/live/spool.ts";
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { restoreSettings, settingsHash, unregister } from "../../agents/claude-code/install.ts";
import { pluginFiles, removePluginFiles } from "../../agents/claude-code/plugin-files.ts";
import { claudeConfigDir } from "../../agents/claude-code/discover.ts";
import { envOfSite, findClaude, inspectClaude } from "../../agents/claude-code/site.ts";
import {
  type InstalledSite,
  type InstallRecord,
  readInstall,
  writeInstall,
} from "../../platform/state/install-record.ts";
import type { Env, Paths } from "../../config/paths.ts";
import { listFolder } from "../../platform/read-file.ts";
import { findWorker } from "../../platform/worker-lock.ts";
import type { AgentSetup, Step } from "../../agents/setup.ts";
import { SETUPS } from "../../agents/setups.ts";
import { AppError } from "../../core/error.ts";
import { CLAUDE_CODE, INSTALLABLE, setupsOf } from "../agent-choice.ts";
import { agentContext } from "../../health/agents.ts";
import { planRemoval, removeEmpty } from "../agent-plan.ts";
import { applyPlan } from "../apply-plan.ts";
import { isScratchFolder } from "../../store/db/swap.ts";
import { stopWorker } from "../worker-control.ts";
import { defineCommand, DRY_RUN, YES } from "../command.ts";

export const command = defineCommand({
  about: "remove C-Mem from agents; the data stays",
  fields: {
    agents: { kind: "list", position: "[agent...]", choices: INSTALLABLE, about: "which agents (default: all)" },
    ...YES,
    ...DRY_RUN,
    purge: { kind: "flag", about: "also delete the data directory" },
    claude: { kind: "text", value: "path", about: "the claude executable to use" },
  },
  run(input, { json, paths, env }) {
    const purge = input.purge;
    const named = input.agents ?? [];
    if (purge && named.length > 0) {
      throw new AppError("usage", "--purge removes C-Mem from every agent and takes no agent names.");
    }
    const record = readInstall(paths.install);
    const here = claudeConfigDir(env);
    const isClaudeMeant = named.length === 0 || named.includes(CLAUDE_CODE);
    // --purge deletes the program that hooks run, so it removes hooks from every configuration folder.
    const folders = purge ? [...new Set([here, ...Object.keys(record?.sites ?? {})])] : isClaudeMeant ? [here] : [];
    const claude = input.claude ?? findClaude(env);
    const context = agentContext(paths, env, record?.node ?? process.execPath);
    const others = named.length === 0 ? SETUPS : setupsOf(named);
    const removals = [
      ...folders.flatMap((folder) => removeFromClaude(envOfSite(env, folder), claude, record?.sites[folder], purge)),
      ...others.flatMap((setup) => planRemoval(setup, context, record?.agents?.[setup.id])),
    ];
    const left = record && withoutRemoved(record, folders, others);
    const isLast = left === undefined || Object.keys(left.sites).length + Object.keys(left.agents ?? {}).length === 0;
    const steps = [
      ...removals,
      ...stopWorkerSteps(paths, (removals.length > 0 && isLast) || purge),
      ...(purge ? [deleteAll(paths)] : removeCopies(paths, left, isLast)),
    ];
    return applyPlan({
      command: "uninstall",
      steps,
      question: purge ? "Delete all of it?" : "Apply these changes?",
      isDestructive: purge,
      yes: input.yes,
      dryRun: input.dryRun,
      json,
      nothing: `C-Mem is not installed in ${named.length === 0 ? "any agent" : named.join(", ")}.`,
      done: () => (purge ? purgedText(paths, folders) : `Done. The data is still in ${paths.home}.`),
    });
  },
});

/** Lists what remains. */
function purgedText(paths: Paths, folders: readonly string[]): string {
  const left = [
    ...(existsSync(paths.home) ? [`${paths.home} (files in it that C-Mem did not make)`] : []),
    ...folders.flatMap((folder) => pluginFiles(folder, { withData: true })),
  ];
  const removeCommand = "The c-mem command itself is removed with: npm uninstall -g c-mem";
  if (left.length === 0) return `Done. All data, hooks and copies of C-Mem are deleted. ${removeCommand}`;
  return `Done. These files remain:\n${left.map((path) => `  ${path}`).join("\n")}\n${removeCommand}`;
}

function withoutRemoved(
  record: InstallRecord,
  folders: readonly string[],
  setups: readonly AgentSetup[],
): InstallRecord {
  const { agents = {}, ...rest } = record;
  const sites = Object.entries(record.sites).filter(([folder]) => !folders.includes(folder));
  const others = Object.entries(agents).filter(([id]) => !setups.some((setup) => setup.id === id));
  return {
    ...rest,
    sites: Object.fromEntries(sites),
    ...(others.length > 0 && { agents: Object.fromEntries(others) }),
  };
}

function removeFromClaude(
  env: Env,
  claude: string | undefined,
  installed: InstalledSite | undefined,
  purge: boolean,
): Step[] {
  const site = inspectClaude(env);
  const kept = pluginFiles(site.configDir, { withData: purge });
  const steps = [
    ...unregister(site, claude, env),
    ...(kept.length > 0 ? [removePluginFiles(site.configDir, { withData: purge })] : []),
  ];
  const untouched = installed?.settingsHash != null && installed.settingsHash === settingsHash(site);
  const hasBackup = installed?.backup == null || existsSync(installed.backup);
  if (!untouched || !hasBackup) return steps;
  return [
    ...steps,
    restoreSettings(site, installed.backup ?? undefined),
    ...(installed.madeFolder === true
      ? [{ about: `delete ${site.configDir} if it is empty`, run: () => removeEmpty(site.configDir) }]
      : []),
  ];
}

/** Runs after the hooks are removed, because a hook would start another worker. */
function stopWorkerSteps(paths: Paths, isLast: boolean): Step[] {
  if (!isLast || findWorker(paths.workerLock, Date.now()) === undefined) return [];
  return [
    {
      about: "stop the worker",
      run: async () => void (await stopWorker(paths)),
    },
  ];
}

/** The plugin, the downloaded Node and the install record are deleted with the last agent that uses them. */
function removeCopies(paths: Paths, left: InstallRecord | undefined, isLast: boolean): Step[] {
  if (left === undefined) return [];
  if (!isLast)
    return [{ about: `record the change in ${paths.install}`, run: () => writeInstall(paths.install, left) }];
  const copies = [paths.plugin, paths.runtime, paths.install].filter((path) => existsSync(path));
  return copies.map((path) => ({ about: `delete ${path}`, run: () => rmSync(path, { recursive: true, force: true }) }));
}

/** Only C-Mem's files: C_MEM_HOME may be a folder with other content. */
function deleteAll({ home, ...ours }: Paths): Step {
  const paths = [...Object.values(ours), ...findFallbackSpools(ours)];
  return {
    about: `delete all data of C-Mem (${home})`,
    run() {
      for (const path of [...paths, ...temporaryFiles(home, ours)]) rmSync(path, { recursive: true, force: true });
      if (existsSync(home) && readdirSync(home).length === 0) rmdirSync(home);
    },
  };
}

/** The files that SQLite keeps beside the database, and temporary files of killed processes. */
function temporaryFiles(home: string, ours: Omit<Paths, "home">): string[] {
  const names = new Set(Object.values(ours).map((path) => basename(path)));
  return listFolder(home)
    .filter(
      (name) =>
        name.startsWith(basename(ours.database)) ||
        names.has(name.replace(/\.(?:new|tmp|\d+)$/, "")) ||
        isScratchFolder(name),
    )
    .map((name) => join(home, name));
}
