// c-mem uninstall: takes the hooks out again. What was remembered stays, unless --purge says otherwise.
import { rmSync } from "node:fs";
import { restoreSettings, unregister } from "../../agents/claude-code/install.ts";
import { findClaude, inspectClaude } from "../../agents/claude-code/site.ts";
import type { Step } from "../../agents/step.ts";
import { readInstall, writeInstall } from "../../config/install-record.ts";
import { resolvePaths } from "../../config/paths.ts";
import { applyPlan } from "../apply-plan.ts";
import type { CommandOptions } from "../main.ts";

export async function run({ flags, json }: CommandOptions): Promise<number> {
  const env = process.env;
  const paths = resolvePaths(env);
  const site = inspectClaude(env);
  const claude = (flags["claude"] as string | undefined) ?? findClaude(env);
  const record = readInstall(paths.install);
  const own = record?.sites[site.configDir];
  const steps: Step[] = unregister(site, claude, env);
  if (own !== undefined || steps.length > 0) steps.push(restoreSettings(env, own?.backup ?? undefined));
  if (flags["purge"] === true) {
    steps.push({
      about: `delete everything C-Mem has remembered (${paths.home})`,
      run: () => rmSync(paths.home, { recursive: true, force: true }),
    });
  } else if (record !== undefined) {
    const { [site.configDir]: _, ...others } = record.sites;
    if (Object.keys(others).length > 0) {
      steps.push({
        about: `note it in ${paths.install}`,
        run: () => writeInstall(paths.install, { ...record, sites: others }),
      });
    } else {
      steps.push({
        about: `delete the copy of the hooks (${paths.plugin})`,
        run() {
          for (const path of [paths.plugin, paths.runtime, paths.install])
            rmSync(path, { recursive: true, force: true });
        },
      });
    }
  }
  return applyPlan({
    command: "uninstall",
    steps,
    question: flags["purge"] === true ? "Delete all of it?" : "Go ahead?",
    yes: flags["yes"] === true,
    dryRun: flags["dryRun"] === true,
    json,
    nothing: "C-Mem is not installed in Claude Code.",
    done: flags["purge"] === true ? "Done. Nothing of C-Mem is left." : `Done. The memory is still in ${paths.home}.`,
  });
}
