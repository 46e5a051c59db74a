// What the server has at hand while it runs.
import type { EmbeddingCache } from "../queries/embedding-cache.ts";
import type { Store } from "../queries/cached-store.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { Access } from "./access.ts";
import type { Aside } from "./offload.ts";
import type { Holds } from "./undo-window.ts";
import type { Live } from "./live.ts";

export interface Host {
  paths: Paths;
  env: Env;
  store: Store;
  access: Access;
  live: Live;
  holds: Holds;
  aside: Aside;
  /** Known once it listens. */
  port(): number;
  /** The folder of the page's built files. */
  viewer: string;
  kept: EmbeddingCache;
  /** Somebody asks: the worker stays. */
  onRequest(): void;
  /** There is work to do. */
  onWork(): void;
  log(message: string, details?: Record<string, unknown>): void;
}
