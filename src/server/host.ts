// What the server has at hand while it runs.
import type { Asked } from "../answers/asked.ts";
import type { Store } from "../answers/kept-store.ts";
import type { Env, Paths } from "../config/paths.ts";

export interface Host {
  paths: Paths;
  env: Env;
  store: Store;
  kept?: NonNullable<Asked["kept"]>;
  /** Something was asked or written: the worker has reason to look, and to stay. */
  onRequest(): void;
  log(message: string, details?: Record<string, unknown>): void;
}
