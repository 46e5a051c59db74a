// What routes can use while the server runs.
import type { EmbeddingCache } from "../queries/embedding-cache.ts";
import type { Store } from "../queries/cached-store.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { Access } from "./access.ts";
import type { Offload } from "./offload.ts";
import type { UndoWindow } from "./undo-window.ts";
import type { Live } from "./live.ts";

export interface Host {
  paths: Paths;
  env: Env;
  store: Store;
  access: Access;
  live: Live;
  undoWindow: UndoWindow;
  offload: Offload;
  /** Known once the server listens. */
  port(): number;
  /** The folder of the page's built files. */
  viewer: string;
  kept: EmbeddingCache;
  /** A request arrived: the worker stays up. */
  onRequest(): void;
  /** There is work to do. */
  onWork(): void;
  log(message: string, details?: Record<string, unknown>): void;
}
