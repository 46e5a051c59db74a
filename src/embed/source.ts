// Selects the source of embeddings (local model, server or none) by the settings and whether the model is installed.
import { existsSync } from "node:fs";
import type { Env, Paths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import type { Embedder } from "./embedder.ts";
import { endpointModel, type EndpointOptions, openEndpoint } from "./endpoint.ts";
import { openLocal } from "./local.ts";
import { findMiniLm, minilmFile } from "./minilm.ts";
import { openSpawned } from "./spawned.ts";

export type EmbedSource =
  | { kind: "none"; why: string; hint?: string }
  | { kind: "minilm" }
  | { kind: "endpoint"; options: EndpointOptions };

type EmbedSettings = Pick<Settings, "embeddings" | "embeddingsUrl" | "embeddingsModel" | "embeddingsKeyEnv">;

export const INSTALL_HINT = "`c-mem model install` fetches the embedding model (42 MB).";

/** The source for new vectors. */
export function embedSource(settings: EmbedSettings, env: Env, paths: Paths): EmbedSource {
  switch (settings.embeddings) {
    case "none":
      return { kind: "none", why: "semantic search is off", hint: "c-mem config set embeddings auto" };
    case "auto":
      if (existsSync(minilmFile(paths)) || findMiniLm(paths) !== undefined) return { kind: "minilm" };
      return { kind: "none", why: "the embedding model is not installed", hint: INSTALL_HINT };
    case "openai":
      if (settings.embeddingsUrl !== "" && settings.embeddingsModel !== "")
        return { kind: "endpoint", options: endpointOptions(settings, env, settings.embeddingsModel) };
      return {
        kind: "none",
        why: "embeddingsUrl and embeddingsModel are not set",
        hint: "c-mem config set embeddingsUrl http://localhost:11434, and embeddingsModel",
      };
  }
}

function endpointOptions(settings: EmbedSettings, env: Env, model: string): EndpointOptions {
  const apiKey = settings.embeddingsKeyEnv === "" ? undefined : env[settings.embeddingsKeyEnv];
  return { url: settings.embeddingsUrl, model, ...(apiKey !== undefined && { apiKey }) };
}

/** True if the source made the vectors with this id. Local models are not told apart: their ids are in their files. */
export function isFromSource(source: EmbedSource, id: string): boolean {
  const served = endpointModel(id);
  return source.kind === "endpoint" ? served?.model === source.options.model : served === undefined;
}

/** Opens the embedder for a long-running process. */
export async function openEmbedder(source: Exclude<EmbedSource, { kind: "none" }>, paths: Paths): Promise<Embedder> {
  return source.kind === "minilm" ? await openSpawned(paths) : await openEndpoint(source.options);
}

/** Short, because the user waits for the search. */
const QUERY_TIMEOUT_MS = 3_000;

/** Opens the embedder that made the vectors with this id, to embed a query. Undefined if it is no longer available. */
export async function openEmbedderById(
  id: string,
  settings: EmbedSettings,
  env: Env,
  paths: Paths,
): Promise<Embedder | undefined> {
  if (settings.embeddings === "none") return undefined;
  const served = endpointModel(id);
  if (served === undefined) {
    const local = openLocal(paths);
    return local.id === id ? local : undefined;
  }
  if (settings.embeddingsUrl === "") return undefined;
  const options = endpointOptions(settings, env, served.model);
  return await openEndpoint({ ...options, dimensions: served.dimensions, timeoutMs: QUERY_TIMEOUT_MS });
}
