// What routes can use while the server runs.
import { drainBriefly, createStore, type Store } from "../queries/cached-store.ts";
import { createEmbeddingCache, type EmbeddingCache } from "../queries/embedding-cache.ts";
import type { Env, Paths } from "../config/paths.ts";
import { type Access, createAccess } from "./access.ts";
import { createLive, type Live } from "./live.ts";
import { createOffload, type Offload } from "./offload.ts";
import { createUndoWindow, type UndoWindow } from "./undo-window.ts";

export interface HostOptions {
  paths: Paths;
  env: Env;
  token: string;
  /** The port; 0 until the server listens. */
  port(): number;
  /** The folder of the page's built files. */
  viewer: string;
  /** Called for each request, so that the worker keeps running. */
  onRequest(): void;
  /** Called when a request has created jobs for the worker. */
  onWork(): void;
  log(message: string, details?: Record<string, unknown>): void;
}

export interface Host extends Omit<HostOptions, "token"> {
  store: Store;
  access: Access;
  live: Live;
  undoWindow: UndoWindow;
  offload: Offload;
  embeddings: EmbeddingCache;
  close(): void;
}

export function createHost({ token, ...options }: HostOptions): Host {
  const { paths, env, log } = options;
  const store = createStore(paths, drainBriefly);
  const live = createLive(store, log);
  const embeddings = createEmbeddingCache(paths, env);
  const offload = createOffload(paths);
  const undoWindow = createUndoWindow({
    use: (work) => store.use((db) => work({ db, paths, env, cwd: undefined }), { isWriting: true }),
    broadcast: live.broadcast,
    log,
  });
  return {
    ...options,
    store,
    access: createAccess(token),
    live,
    undoWindow,
    offload,
    embeddings: embeddings.cache,
    close() {
      undoWindow.finish();
      embeddings.close();
      offload.close();
      live.close();
      store.close();
    },
  };
}
