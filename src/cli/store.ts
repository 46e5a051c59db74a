// How every command gets at the data; when it is through, a worker is started for what is left to do.
import { openDrained, withDrained } from "../answers/store.ts";
import type { Paths } from "../config/paths.ts";
import type { Db } from "../store/driver.ts";
import { explain } from "../store/open.ts";
import { wake } from "./worker-control.ts";

export interface StoreOptions {
  /** Leaves the worker alone: for commands that tell how it is. */
  onlyLook?: boolean;
}

/** The same for work that lets others have a turn. */
export async function withStoreAsync<T>(paths: Paths, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDrained(paths);
  try {
    return await work(db);
  } catch (error) {
    throw explain(error, paths.database);
  } finally {
    db.close();
    // After the work: what it leaves to be done in the background is in the database then.
    wake(paths);
  }
}

export function withStore<T>(paths: Paths, work: (db: Db) => T, options: StoreOptions = {}): T {
  try {
    return withDrained(paths, work);
  } finally {
    if (!options.onlyLook) wake(paths);
  }
}
