// The hooks of agents other than Claude Code. Built as agents.cjs, loaded only for them.
import { join } from "node:path";
import { codexWire } from "../agents/codex/event.ts";
import { copilotWire } from "../agents/copilot-cli/event.ts";
import { cursorWire } from "../agents/cursor/event.ts";
import { hasRules, rulesText } from "../agents/cursor/rules.ts";
import { ownValue } from "../agents/fields.ts";
import { geminiWire } from "../agents/gemini-cli/event.ts";
import type { HookWire } from "../agents/hook-wire.ts";
import { openCodeWire } from "../agents/opencode/event.ts";
import { checkIgnored, checkNotCommitted, realPathInside, writeInside } from "../agents/work-tree-file.ts";
import { realPath } from "../capture/covers.ts";
import { AppError } from "../core/error.ts";
import { readText } from "../platform/read-file.ts";
import { readInstall } from "../platform/state/install-record.ts";
import { loadBundle } from "./bundle.ts";
import { logHookError } from "./log.ts";
import type { InjectAnswer, InjectRequest, StartBundle } from "./types.ts";

const WIRES: Readonly<Record<string, HookWire>> = {
  codex: codexWire,
  "gemini-cli": geminiWire,
  "copilot-cli": copilotWire,
  opencode: openCodeWire,
  cursor: cursorWire,
};

export function wireOf(agent: string): HookWire {
  const wire = ownValue(WIRES, agent);
  if (wire === undefined) throw new AppError("usage", `Unknown agent. Use ${Object.keys(WIRES).join(", ")}.`);
  return wire;
}

/** True if the working tree has the rules file that `install` created. */
export function hasRulesFile(request: InjectRequest, name: string): boolean {
  return readRules(request, name) !== undefined;
}

/** The events that change a session's context. */
const REFRESH_AT: ReadonlySet<string> = new Set(["session-start", "prompt", "turn-end", "session-end"]);

/** Writes the session-start context into the rules file. Returns the context if the file changed, else undefined. */
export function refreshRules(request: InjectRequest, name: string): InjectAnswer | undefined {
  const { event, paths } = request;
  const before = REFRESH_AT.has(event.activity.kind) ? readRules(request, name) : undefined;
  if (before === undefined) return undefined;
  const start = { ...event, activity: { kind: "session-start", source: "startup" } as const };
  const answer = (loadBundle("context.cjs") as StartBundle).contextForStart({ ...request, event: start });
  const after = rulesText(answer?.text ?? "");
  if (after === before) return undefined;
  try {
    writeRules(request, rulesPath(request, name), after);
    return answer;
  } catch (error) {
    logHookError(paths.hookLog, "rules", error);
    return undefined;
  }
}

/** Throws if git would commit the file, or if a link leads out of the working tree. */
function writeRules({ place: { tree, folder } }: InjectRequest, path: string, text: string): void {
  const top = tree?.top ?? folder;
  if (tree !== undefined) {
    const real = realPathInside(top, path);
    checkNotCommitted(top, tree.gitDir, real);
    checkIgnored(top, tree.commonDir, real);
  }
  writeInside(top, path, text);
}

/** Undefined unless `install` ran in this tree: a rules file that came with a clone is tracked by git. */
function readRules(request: InjectRequest, name: string): string | undefined {
  const text = readText(rulesPath(request, name)) ?? "";
  return hasRules(text) && isInstalledHere(request) ? text : undefined;
}

function isInstalledHere({ place: { tree }, paths }: InjectRequest): boolean {
  if (tree === undefined) return false;
  const projects = readInstall(paths.install)?.agents?.["cursor"]?.projects ?? [];
  return projects.some(({ top }) => top === tree.top || realPath(top) === realPath(tree.top));
}

function rulesPath({ place }: InjectRequest, name: string): string {
  return join(place.tree?.top ?? place.folder, name);
}
