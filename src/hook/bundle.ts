// Loads a bundle that most hooks do not need.
import { createRequire } from "node:module";
import { join } from "node:path";

export function loadBundle(name: string): unknown {
  const bundle = join(import.meta.dirname, name);
  try {
    return createRequire(import.meta.url)(bundle);
  } catch (error) {
    const [reason] = (error as Error).message.split("\n");
    throw new Error(`${bundle} cannot be loaded: ${reason}`, { cause: error });
  }
}
