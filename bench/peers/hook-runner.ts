// Runs the hook commands of a tool as Claude Code does: all commands of an event at once, with the payload on stdin.
import { readFileSync } from "node:fs";
import type { HooksFile } from "./contestant.ts";
import type { Payload } from "./payloads.ts";
import { type Place, run } from "./place.ts";

const TIMEOUT_MS = 60_000;

interface HookCommand {
  command: string;
  args?: string[];
  async?: boolean;
}

interface HookEntry {
  matcher?: string;
  hooks: HookCommand[];
}

export interface HookRun {
  /** Of the slowest command. */
  ms: number;
  isAcknowledged: boolean;
  commands: number;
}

export async function runHooks(place: Place, file: HooksFile, payload: Payload): Promise<HookRun> {
  const commands = hookCommands(file, payload);
  const start = performance.now();
  const outcomes = await Promise.all(
    commands.map(({ command, args }) => {
      const root = file.root ?? "";
      const env = { ...place.env, CLAUDE_PLUGIN_ROOT: root, CLAUDE_PROJECT_DIR: place.project };
      const options = { input: JSON.stringify(payload), env, timeoutMs: TIMEOUT_MS };
      const fill = (text: string): string => text.replaceAll("${CLAUDE_PLUGIN_ROOT}", root);
      return args === undefined
        ? run(place, "bash", ["-c", command], options)
        : run(place, command, args.map(fill), options);
    }),
  );
  return {
    ms: performance.now() - start,
    isAcknowledged: outcomes.length > 0 && outcomes.every(({ status }) => status === 0),
    commands: commands.length,
  };
}

/** The commands for an event whose matcher is empty, "*" or names the tool or the source. */
function hookCommands({ path }: HooksFile, payload: Payload): HookCommand[] {
  const { hooks } = JSON.parse(readFileSync(path, "utf8")) as { hooks: Record<string, HookEntry[]> };
  const subject = payload.tool_name ?? payload.source ?? "";
  return (hooks[payload.hook_event_name] ?? [])
    .filter(({ matcher = "" }) => matcher === "" || matcher === "*" || new RegExp(`^(?:${matcher})$`).test(subject))
    .flatMap((entry) => entry.hooks);
}

/** Whether the agent goes on while the hook runs. */
export function isAsync(file: HooksFile, payload: Payload): boolean {
  return hookCommands(file, payload).every((command) => command.async === true);
}
