// Whether search goes by meaning, and how far the embedding has come.
import { loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { type EmbedSource, embedSource } from "../embed/source.ts";
import { minilmFile } from "../embed/minilm.ts";
import { checkModel } from "../embed/model-file.ts";
import { hasSqlite } from "../store/db/driver.ts";
import { type EmbedProgress, embedProgress } from "../store/vectors/vectors.ts";
import type { Check } from "./health.ts";
import { withDrained } from "../capture/open-drained.ts";

export function checkMeaning(paths: Paths, env: Env): Check | undefined {
  const source = embedSource(loadSettings({ user: paths.config }, env).values, env, paths);
  if (source.kind === "none") {
    const how = source.hint === undefined ? "" : ` (${source.hint.replace(/\.$/, "")})`;
    return { name: "meaning", state: "ok", message: `search goes by words only: ${source.why}${how}` };
  }
  const damage = source.kind === "minilm" ? damageOf(paths) : undefined;
  if (damage !== undefined) {
    const message = `search goes by words only: ${damage.message}`;
    return { name: "meaning", state: "fail", message, fix: "Run: c-mem model install" };
  }
  const progress = tryProgress(paths);
  return progress && { name: "meaning", state: "ok", message: `${nameOf(source)}; ${progressText(progress)}` };
}

function damageOf(paths: Paths): AppError | undefined {
  try {
    checkModel(minilmFile(paths));
    return undefined;
  } catch (error) {
    // Where it is missing the package is there, and it is made when it is needed.
    return error instanceof AppError && error.code !== "model_missing" ? error : undefined;
  }
}

function tryProgress(paths: Paths): EmbedProgress | undefined {
  if (!hasSqlite()) return undefined;
  try {
    return withDrained(paths, embedProgress);
  } catch {
    // The check of the database says why.
    return undefined;
  }
}

function nameOf(source: Exclude<EmbedSource, { kind: "none" }>): string {
  return source.kind === "minilm" ? "MiniLM on this machine" : `${source.options.model} at ${source.options.url}`;
}

function progressText({ vectors, waiting }: EmbedProgress): string {
  const there = `${vectors.toLocaleString("en")} vectors`;
  return waiting === 0
    ? there
    : `${there}, ${waiting.toLocaleString("en")} turns and observations still to be embedded`;
}
