// c-mem uninstall: takes the hooks out again. What was remembered stays, unless --purge says otherwise.
import { findRefuge } from "../../capture/refuge.ts";
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { restoreSettings, settingsHash, unregister } from "../../agents/claude-code/install.ts";
import { claudeConfigDir, envOfSite, findClaude, inspectClaude } from "../../agents/claude-code/site.ts";
import type { Step } from "../../agents/step.ts";
import { type InstalledSite, type InstallRecord, readInstall, writeInstall } from "../../config/install-record.ts";
import { type Env, type Paths, resolvePaths } from "../../config/paths.ts";
import { findWorker } from "../../config/worker-lock.ts";
import { applyPlan } from "../apply-plan.ts";
import type { CommandOptions } from "../table.ts";
import { stopWorker } from "../worker-control.ts";

export function run({ flags, json }: CommandOptions): Promise<number> {
  const env = process.env;
  const paths = resolvePaths(env);
  const purge = flags["purge"] === true;
  const record = readInstall(paths.install);
  const here = claudeConfigDir(env);
  // Hooks must not be left pointing at what is no longer there: --purge takes them out wherever they were put.
  const folders = purge ? [...new Set([here, ...Object.keys(record?.sites ?? {})])] : [here];
  const claude = (flags["claude"] as string | undefined) ?? findClaude(env);
  const taken = folders.flatMap((folder) => takeOut(envOfSite(env, folder), claude, record?.sites[folder]));
  const steps = [
    ...taken,
    ...stopWork(paths, taken.length > 0 || purge),
    ...(purge ? [deleteAll(paths)] : tidyUp(paths, here, record)),
  ];
  return applyPlan({
    command: "uninstall",
    steps,
    question: purge ? "Delete all of it?" : "Go ahead?",
    isDestructive: purge,
    yes: flags["yes"] === true,
    dryRun: flags["dryRun"] === true,
    json,
    nothing: "C-Mem is not installed in Claude Code.",
    done: purge ? "Done. Nothing of C-Mem is left." : `Done. The memory is still in ${paths.home}.`,
  });
}

function takeOut(env: Env, claude: string | undefined, installed: InstalledSite | undefined): Step[] {
  const site = inspectClaude(env);
  const steps = unregister(site, claude, env);
  const untouched = installed?.settingsHash != null && installed.settingsHash === settingsHash(site);
  const hasBackup = installed?.backup == null || existsSync(installed.backup);
  return untouched && hasBackup ? [...steps, restoreSettings(site, installed.backup ?? undefined)] : steps;
}

/** Last of the hooks: none of them starts another. */
function stopWork(paths: Paths, isLeaving: boolean): Step[] {
  if (!isLeaving || findWorker(paths.workerLock, Date.now()) === undefined) return [];
  return [
    {
      about: "stop the worker",
      run: async () => {
        await stopWorker(paths);
      },
    },
  ];
}

/** The copies go with the last place that uses them. */
function tidyUp(paths: Paths, here: string, record: InstallRecord | undefined): Step[] {
  if (record === undefined) return [];
  const { [here]: _, ...others } = record.sites;
  if (Object.keys(others).length > 0) {
    return [
      { about: `note it in ${paths.install}`, run: () => writeInstall(paths.install, { ...record, sites: others }) },
    ];
  }
  const copies = [paths.plugin, paths.runtime, paths.install].filter((path) => existsSync(path));
  return copies.map((path) => ({ about: `delete ${path}`, run: () => rmSync(path, { recursive: true, force: true }) }));
}

/** Only what is ours: somebody may have pointed C_MEM_HOME at a folder with other things in it. */
function deleteAll({ home, ...ours }: Paths): Step {
  const refuges = [ours.spool, ours.privateTurns].map(findRefuge).filter((path) => path !== undefined);
  const paths = [...Object.values(ours), `${ours.database}-wal`, `${ours.database}-shm`, ...refuges];
  return {
    about: `delete everything C-Mem has remembered (${home})`,
    run() {
      for (const path of paths) rmSync(path, { recursive: true, force: true });
      if (existsSync(home) && readdirSync(home).length === 0) rmdirSync(home);
    },
  };
}
