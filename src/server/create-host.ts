// Puts together what the server has at hand.
import { createEmbeddingCache } from "../queries/embedding-cache.ts";
import { drainBriefly, createStore } from "../queries/cached-store.ts";
import { createAccess } from "./access.ts";
import { createOffload } from "./offload.ts";
import { createUndoWindow } from "./undo-window.ts";
import type { Host } from "./host.ts";
import { createLive } from "./live.ts";

export interface HostOptions extends Pick<Host, "paths" | "env" | "viewer" | "port" | "onRequest" | "onWork" | "log"> {
  token: string;
}

export function createHost({ token, ...options }: HostOptions): Host & { close(): void } {
  const { paths, env, log } = options;
  const store = createStore(paths, drainBriefly);
  const live = createLive(store, log);
  const meaning = createEmbeddingCache(paths, env);
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
    kept: meaning.cache,
    close() {
      undoWindow.finish();
      meaning.close();
      offload.close();
      live.close();
      store.close();
    },
  };
}
