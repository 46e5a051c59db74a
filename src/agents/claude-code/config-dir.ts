// The folder in which Claude Code keeps its settings and its sessions. Apart from what looks after the settings: to find
// sessions takes none of that.
import { join } from "node:path";
import { type Env, homeOf, readSettings } from "../agent-files.ts";
import { asObject } from "../../core/json.ts";

export function claudeConfigDir(env: Env): string {
  return env["CLAUDE_CONFIG_DIR"] || join(homeOf(env), ".claude");
}

/** Days after which the client deletes transcripts, as long as the user has not said otherwise. */
const CLEANUP_DAYS = 30;

export function cleanupDays(env: Env): number {
  const settings = readJson(join(claudeConfigDir(env), "settings.json"));
  const days = asObject(settings)?.["cleanupPeriodDays"];
  return typeof days === "number" ? days : CLEANUP_DAYS;
}

export function readJson(path: string): unknown {
  const text = readSettings(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
