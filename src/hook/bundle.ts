// Loads another part of the hook program, built beside this one, where it is needed and not before.
import { createRequire } from "node:module";
import { join } from "node:path";

export function loadBundle(name: string): unknown {
  return createRequire(import.meta.url)(join(import.meta.dirname, name));
}
