// What agents run: only this much is compiled at every start, the hooks themselves once (hook-main.cjs). Built as hook.cjs.
import { join } from "node:path";
import { runCompiled } from "../config/compiled.ts";
import { CACHE, resolveHome } from "../config/paths.ts";

try {
  runCompiled(join(import.meta.dirname, "hook-main.cjs"), {
    folder: join(resolveHome(process.env), CACHE),
    use: /^[a-z]{1,12}$/.exec(process.argv[2] ?? "")?.[0] ?? "none",
  });
} catch {
  // Half an installation: `doctor` tells, the agent never waits or sees an error.
  process.exit(0);
}
