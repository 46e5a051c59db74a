// How C-Mem gets into Cursor: hooks and the memory tools in its own folder, and in a working tree where it was asked for a rule
// with what is remembered. Written after Cursor's documentation: untested against the client itself.
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Env, homeOf } from "../agent-files.ts";
import { addToLists, editJson, isEmptyJson, parseJsonFile, removeFromLists } from "../json-file.ts";
import { addBlock, removeBlock } from "../marked-block.ts";
import { addServer, removeServer } from "../mcp-entry.ts";
import { ownFile, serversFile } from "../managed-file.ts";
import {
  type AgentSetup,
  hookLine,
  isOurCommand,
  type ManagedFile,
  type Program,
  type SetupProject,
} from "../setup.ts";
import { asObject } from "../../core/json.ts";
import { checkNotCommitted, excludeLine, realPathInside } from "../work-tree-file.ts";
import { CURSOR_RULES } from "./event.ts";
import { hasRules, rulesText } from "./rules.ts";

/** None that decides whether a tool may run: a mistake of ours would stop the agent. */
const HOOKS = [
  { event: "sessionStart", command: "context", timeout: 10 },
  { event: "beforeSubmitPrompt", command: "new", timeout: 10 },
  { event: "postToolUse", command: "save", timeout: 10 },
  { event: "postToolUseFailure", command: "save", timeout: 10 },
  { event: "afterAgentResponse", command: "summary", timeout: 10 },
  { event: "stop", command: "summary", timeout: 10 },
  { event: "sessionEnd", command: "cleanup", timeout: 5 },
];

export const cursorSetup: AgentSetup = {
  id: "cursor",
  label: "Cursor",
  isThere: (env) => existsSync(cursorFolder(env)),
  files: (env, program, projects) => [
    hooksFile(join(cursorFolder(env), "hooks.json"), program),
    mcpFile(join(cursorFolder(env), "mcp.json"), program),
    ...projects.map(rulesFile),
    ...excludesOf(projects).map((exclude) =>
      excludeFile(
        exclude,
        projects.filter((project) => project.exclude === exclude),
      ),
    ),
  ],
  perProject: true,
  told: ["session-start", "prompt", "error"],
  afterwards:
    "Cursor also reads what is remembered from .cursor/rules/c-mem-context.mdc, in the working trees where you ran this; git ignores that file.",
};

function cursorFolder(env: Env): string {
  return join(homeOf(env), ".cursor");
}

const HINT = "Fix the file, then run the command again.";

function hooksFile(path: string, program: Program): ManagedFile {
  return {
    path,
    about: "add c-mem's hooks",
    add(text = "") {
      const { version } = parseJsonFile(text, path, { objects: ["hooks"], hint: HINT });
      const entries = HOOKS.map(({ event, command, timeout }) => ({
        path: ["hooks", event] as [string, string],
        value: { command: hookLine(program, command, "cursor"), timeout },
      }));
      // Without it Cursor passes over the whole file.
      const versioned = version === undefined ? editJson(text, ["version"], 1) : text;
      return addToLists(versioned, entries, isOurEntry);
    },
    remove(text) {
      const left = removeFromLists(text, "hooks", isOurEntry);
      return /^\s*\{\s*"version"\s*:\s*1\s*,?\s*\}\s*$/.test(left) || isEmptyJson(left) ? undefined : left;
    },
  };
}

function isOurEntry(entry: unknown): boolean {
  return isOurCommand(asObject(entry)?.["command"]);
}

function mcpFile(path: string, { node, mcp, cache }: Program): ManagedFile {
  const place = { path, under: "mcpServers", hint: HINT };
  const server = { command: node, args: [mcp], env: { NODE_COMPILE_CACHE: cache } };
  return serversFile(path, {
    add: (text) => addServer(text, place, server),
    remove: (text) => removeServer(text, place),
    isEmpty: isEmptyJson,
  });
}

function rulesFile({ top, gitDir }: SetupProject): ManagedFile {
  const rules = ownFile(join(top, CURSOR_RULES), "add a rule with what is remembered", rulesText(""), hasRules);
  return {
    ...rules,
    root: top,
    isPrivate: true,
    add(text) {
      if (gitDir !== undefined) checkNotCommitted(top, gitDir, realPathInside(top, rules.path));
      // What hooks have written into it since is newer than what would be added.
      return text !== undefined && hasRules(text) ? text : rules.add(text);
    },
  };
}

function excludesOf(projects: readonly SetupProject[]): string[] {
  return [...new Set(projects.flatMap(({ exclude }) => exclude ?? []))];
}

/** One file for all working trees of a repository. */
function excludeFile(exclude: string, projects: readonly SetupProject[]): ManagedFile {
  return {
    path: exclude,
    root: dirname(dirname(exclude)),
    about: `have git ignore ${CURSOR_RULES}`,
    add: (text = "") => addBlock(text, [...new Set([`/${CURSOR_RULES}`, ...projects.flatMap(excludeLines)])]),
    remove: (text) => removeBlock(text) || undefined,
  };
}

/** The real path, where a folder above the file is a link: git knows the file by that one. */
function excludeLines({ top }: SetupProject): string[] {
  try {
    return [excludeLine(placeInTree(top))];
  } catch {
    // Nothing is written there.
    return [];
  }
}

/** From the top of the tree. */
function placeInTree(top: string): string {
  return relative(realpathSync(top), realPathInside(top, join(top, CURSOR_RULES)));
}
