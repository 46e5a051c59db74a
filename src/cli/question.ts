// What every command that answers from history does first: open the store, find out which sessions are meant.
import { resolvePaths } from "../config/paths.ts";
import type { Db } from "../store/driver.ts";
import { type Question, readScope } from "./scope.ts";
import { withStore } from "./store.ts";

export interface Asked {
  db: Db;
  /** Read when asked for: outside of every project an id can still be looked up. */
  question(): Question;
}

export function ask<T>(flags: Record<string, unknown>, limit: number, answer: (asked: Asked) => T): T {
  const env = process.env;
  const paths = resolvePaths(env);
  return withStore(paths, (db) => {
    const question = (): Question => readScope(db, flags, { paths, env, cwd: process.cwd(), limit });
    return answer({ db, question });
  });
}
