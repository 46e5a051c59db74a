// The program that agents run, built as hook.cjs. Only this file is compiled at every start: hook-main.cjs comes from a
// bytecode cache.
import { join } from "node:path";
import { runWithBytecodeCache } from "../platform/bytecode-cache.ts";
import { appendLog, HOOK_LOG_BYTES } from "../platform/private-file.ts";
import { CACHE, HOOK_LOG, resolveHome } from "../config/paths.ts";

const home = resolveHome(process.env);
const hook = /^[a-z]{1,12}$/.exec(process.argv[2] ?? "")?.[0] ?? "none";
try {
  runWithBytecodeCache(join(import.meta.dirname, "hook-main.cjs"), { folder: join(home, CACHE), use: hook });
} catch (error) {
  // The bundle is missing or damaged: log the error for `doctor`, never show it to the agent.
  const { message } = error as Error;
  appendLog(join(home, ...HOOK_LOG), { at: new Date().toISOString(), hook, code: "error", message }, HOOK_LOG_BYTES);
  process.exit(0);
}
