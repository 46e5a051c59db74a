// What every command that answers from memory does first: open the store, say where one stands.
import type { Asked } from "../answers/asked.ts";
import { resolvePaths } from "../config/paths.ts";
import type { Db } from "../store/driver.ts";
import { withStore, withStoreAsync } from "./store.ts";

export function ask<T>(flags: Record<string, unknown>, answer: (asked: Asked) => T): T {
  const context = contextOf(flags);
  return withStore(context.paths, (db) => answer({ ...context, db }));
}

/** The same for what takes a while. */
export function askAsync<T>(flags: Record<string, unknown>, answer: (asked: Asked) => Promise<T>): Promise<T> {
  const context = contextOf(flags);
  return withStoreAsync(context.paths, (db: Db) => answer({ ...context, db }));
}

function contextOf(flags: Record<string, unknown>): Omit<Asked, "db"> {
  const env = process.env;
  return { paths: resolvePaths(env), env, cwd: process.cwd(), flags };
}
