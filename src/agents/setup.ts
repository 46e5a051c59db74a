// Types and helpers for installing C-Mem into an agent: which files change, what is added, how it is removed.
import { asArray, asObject, asObjects } from "../core/json.ts";
import type { Env } from "./agent-files.ts";

/** One change to the machine, shown before it runs. */
export interface Step {
  about: string;
  /** Shown while a slow step runs. */
  progress?: string;
  run(): void | Promise<void>;
}

/** The paths of the programs that the agent runs. */
export interface Program {
  node: string;
  hook: string;
  mcp: string;
  /** The folder of Node's compile cache. */
  cache: string;
}

/** A working tree that `c-mem install` ran in. */
export interface SetupProject {
  top: string;
  /** The `info/exclude` file of its repository, if it has one. */
  exclude?: string;
  /** The working tree's own git directory, which has the index. */
  gitDir?: string;
}

export interface ManagedFile {
  path: string;
  /** For a file in a working tree: a folder that must contain the file even after links are resolved. */
  root?: string;
  /** True for a file with injected context: only its owner may read it. */
  isPrivate?: boolean;
  /** The change, as the install plan shows it. */
  about: string;
  /** Adds or updates C-Mem's part. Throws if that is not safe. */
  add(text: string | undefined): string;
  /** Removes C-Mem's part. Returns undefined if the file has nothing else. */
  remove(text: string): string | undefined;
}

export interface AgentSetup {
  id: string;
  label: string;
  /** The agent's settings folder. It exists if the agent is used on this machine. */
  folder(env: Env): string;
  files(env: Env, program: Program, projects: readonly SetupProject[]): ManagedFile[];
  /** True if some files are inside a working tree. */
  perProject?: true;
  /** The surfaces on which C-Mem can inject context. */
  surfaces: readonly string[];
  /** Shown after the install: what the user has to do or know. */
  afterwards: string;
}

export const SERVER = "c-mem";

/** C-Mem's hooks and server are recognised by the end of their path, since C-Mem may be installed anywhere. */
const OUR_HOOK = /[\\/]c-mem[\\/]dist[\\/]hook\.cjs\b/;
const OUR_SERVER = /[\\/]c-mem[\\/]dist[\\/]mcp\.cjs$/;

export function isOurCommand(command: unknown): boolean {
  return typeof command === "string" && OUR_HOOK.test(command);
}

/** True for a group with a single hook that is C-Mem's, as in Codex CLI and Gemini CLI. */
export function isOurGroup(group: unknown): boolean {
  const hooks = asObjects(asObject(group)?.["hooks"]);
  return hooks.length === 1 && isOurCommand(hooks[0]?.["command"]);
}

/** The bundle is in `args`, or in `command` if that is a list. */
export function isOurServer(entry: unknown): boolean {
  const server = asObject(entry);
  return [...asArray(server?.["args"]), ...asArray(server?.["command"])].some(
    (word) => typeof word === "string" && OUR_SERVER.test(word),
  );
}

export function serverEntry({ node, mcp, cache }: Program) {
  return { command: node, args: [mcp], env: { NODE_COMPILE_CACHE: cache } };
}

/** A hook's command line, for agents that run it in a shell. */
export function hookLine({ node, hook }: Program, command: string, agent: string): string {
  return [node, hook, command, "--agent", agent].map(quote).join(" ");
}

function quote(part: string): string {
  if (/^[\w@%+=:,./-]+$/.test(part)) return part;
  return process.platform === "win32" ? `"${part}"` : `'${part.replaceAll("'", `'\\''`)}'`;
}

export function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
