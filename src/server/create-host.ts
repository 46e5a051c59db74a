// Puts together what the server has at hand.
import { createEmbeddingCache } from "../queries/embedding-cache.ts";
import { bringIn, createStore } from "../queries/cached-store.ts";
import { createAccess } from "./access.ts";
import { createAside } from "./offload.ts";
import { createHolds } from "./undo-window.ts";
import type { Host } from "./host.ts";
import { createLive } from "./live.ts";

export interface HostOptions extends Pick<Host, "paths" | "env" | "viewer" | "port" | "onRequest" | "onWork" | "log"> {
  token: string;
}

export function createHost({ token, ...options }: HostOptions): Host & { close(): void } {
  const { paths, env, log } = options;
  const store = createStore(paths, bringIn);
  const live = createLive(store, log);
  const meaning = createEmbeddingCache(paths, env);
  const aside = createAside(paths);
  const holds = createHolds({
    use: (work) => store.use((db) => work({ db, paths, env, cwd: undefined }), { isWriting: true }),
    tell: live.tell,
    log,
  });
  return {
    ...options,
    store,
    access: createAccess(token),
    live,
    holds,
    aside,
    kept: meaning.cache,
    close() {
      holds.finish();
      meaning.close();
      aside.close();
      live.close();
      store.close();
    },
  };
}
