// What every command that answers from memory does first: open the store, say where one stands.
import type { Asked } from "../queries/legacy.ts";
import { resolvePaths } from "../config/paths.ts";
import { oneLine } from "../core/text.ts";
import type { Db } from "../store/db/driver.ts";
import { projectsNamed } from "../store/tables/projects.ts";
import { say } from "./output.ts";
import { withStore, withStoreAsync } from "./store.ts";

export function ask<T>(flags: Record<string, unknown>, answer: (asked: Asked) => T): T {
  const context = contextOf(flags);
  return withStore(context.paths, (db) => {
    sayWhichProject(db, flags["project"]);
    return answer({ ...context, db });
  });
}

/** The same for what takes a while. */
export function askAsync<T>(flags: Record<string, unknown>, answer: (asked: Asked) => Promise<T>): Promise<T> {
  const context = contextOf(flags);
  return withStoreAsync(context.paths, (db: Db) => {
    sayWhichProject(db, flags["project"]);
    return answer({ ...context, db });
  });
}

/** Two folders may have one name: then the one that was worked in last is meant, which has to be said. */
export function sayWhichProject(db: Db, name: unknown): void {
  const [chosen, ...others] = typeof name === "string" ? projectsNamed(db, name) : [];
  if (chosen === undefined || others.length === 0) return;
  const keys = others.map(({ key }) => oneLine(key, 80)).join(", ");
  say(`This is ${oneLine(chosen.key, 80)}. Also called so, and to be named by its key: ${keys}`);
}

function contextOf(flags: Record<string, unknown>): Omit<Asked, "db"> {
  const env = process.env;
  return { paths: resolvePaths(env), env, cwd: process.cwd(), flags };
}
