// c-mem doctor: runs every check; --fix repairs what fails.
import { readInstall } from "../../platform/state/install-record.ts";
import { userSettings } from "../../config/load.ts";
import type { Env, Paths } from "../../config/paths.ts";
import { statOf } from "../../platform/read-file.ts";
import { AppError } from "../../core/error.ts";
import { hasSqlite } from "../../store/db/driver.ts";
import { ensureRuntime } from "../ensure-runtime.ts";
import { runDeepChecks } from "../deep-checks.ts";
import type { Check } from "../../health/check.ts";
import { checkHealth } from "../../health/health.ts";
import { applyFixes } from "../doctor-fixes.ts";
import { MODEL_ANSWER, tryModel } from "../../health/try-model.ts";
import { openForCommand, withRepair, withStore } from "../store.ts";
import { EXIT, print, printJson } from "../output.ts";
import { bytes, paint } from "../../platform/terminal/style.ts";
import { defineCommand } from "../command.ts";

const MARKS: Record<Check["state"], { mark: string; colour: "green" | "yellow" | "red" }> = {
  ok: { mark: "ok  ", colour: "green" },
  warn: { mark: "warn", colour: "yellow" },
  fail: { mark: "FAIL", colour: "red" },
};

export const command = defineCommand({
  about: "check everything and show how to fix problems",
  fields: {
    deep: { kind: "flag", about: "also check every page, index and transcript; repair damage" },
    fix: { kind: "flag", about: "fix what can be fixed, and list each fix" },
    tryModel: { kind: "flag", about: "also send one small request to the configured model" },
  },
  async run(input, { json, paths, env }) {
    // On a Node without SQLite: runs again with the Node that `install` found.
    if (!hasSqlite() && readInstall(paths.install) !== undefined) ensureRuntime(env, process.argv.slice(2));
    if (hasSqlite()) await repairIfDamaged(paths);
    const size = statOf(paths.database)?.size ?? 0;
    const isScanned = input.deep || size < QUICK_BYTES;
    const runChecks = () => [
      ...checkHealth(paths, env, { now: Date.now(), deep: isScanned, cwd: process.cwd() }),
      ...(isScanned ? [] : [notScanned(size)]),
    ];
    const fixes = input.fix ? await applyFixes(paths, runChecks()) : [];
    const runDeep = async () => (input.deep && hasSqlite() ? await runDeepChecks(paths, env) : []);
    let deep = await runDeep();
    const broken = deep.filter((check) => check.fix !== undefined);
    if (input.fix && broken.length > 0) {
      fixes.push(...(await applyFixes(paths, broken)));
      deep = await runDeep();
    }
    const tried = input.tryModel && hasSqlite() ? [await tryConfiguredModel(paths, env)] : [];
    // After the request, so that they show its cost and no pause that it ended.
    const checks = runChecks().concat(deep, tried);
    const failed = checks.filter((check) => check.state === "fail").length;
    if (json) {
      // `mended` is the older name of `is_fixed`. check-words: data
      const fixed = fixes.map(({ name, done, isFixed }) => ({ name, done, is_fixed: isFixed, mended: isFixed })); // check-words: data
      printJson("doctor", { results: checks, healthy: failed === 0, ...(input.fix && { fixed }) });
    } else {
      for (const { name, done, isFixed } of fixes) print(`${isFixed ? "fixed    " : "not fixed"}  ${name}: ${done}`);
      if (fixes.length > 0) print("");
      for (const check of checks) print(checkText(check));
      print(failed === 0 ? "\nAll checks passed." : `\n${failed} of ${checks.length} checks failed.`);
    }
    return failed === 0 ? EXIT.ok : EXIT.failure;
  },
});

/** A request that cannot be booked is not sent. */
async function tryConfiguredModel(paths: Paths, env: Env): Promise<Check> {
  try {
    return await withStore(paths, (db) => tryModel(db, userSettings(paths, env), env), { startsWorker: false });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return {
      name: MODEL_ANSWER,
      state: "fail",
      message: `not sent: ${error.message}`,
      ...(error.hint && { fix: error.hint }),
    };
  }
}

/** Ignores errors of the store that are not damage: the checks report them. */
async function repairIfDamaged(paths: Paths): Promise<void> {
  try {
    await withRepair(() => openForCommand(paths).close());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/** Up to this size, reading the whole database takes a second or two. */
const QUICK_BYTES = 500 * 1024 * 1024;

function notScanned(size: number): Check {
  return { name: "database", state: "ok", message: `opens; c-mem doctor --deep checks all ${bytes(size)}` };
}

function checkText({ name, state, message, fix }: Check): string {
  const { mark, colour } = MARKS[state];
  const line = `${paint(colour, mark)}  ${name}: ${message}`;
  return fix === undefined ? line : `${line}\n      ${fix}`;
}
