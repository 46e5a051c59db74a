// How C-Mem is installed into an agent: the files that change, what is added to each, and how to remove it again.
import { asArray, asObject, asObjects } from "../core/json.ts";
import type { Env } from "./agent-files.ts";

/** One change to the machine, shown before it runs. */
export interface Step {
  about: string;
  /** Shown while a slow step runs. */
  progress?: string;
  run(): void | Promise<void>;
}

/** What the agent runs. */
export interface Program {
  node: string;
  hook: string;
  mcp: string;
  /** Node's compile cache. */
  cache: string;
}

/** A working tree that `c-mem install` ran in. */
export interface SetupProject {
  top: string;
  /** The `info/exclude` file of its repository, if it has one. */
  exclude?: string;
  /** The tree's own git directory, with its index. */
  gitDir?: string;
}

export interface ManagedFile {
  path: string;
  /** A folder that others write to: with links resolved, the file must be inside it. */
  root?: string;
  /** Written by C-Mem alone and has injected context in it: readable by its owner only. */
  isPrivate?: boolean;
  /** What is added, as the install plan shows it. */
  about: string;
  /** Adds C-Mem's part, or brings it up to date. Throws where that is not safe. */
  add(text: string | undefined): string;
  /** Removes C-Mem's part; undefined where nothing else is in the file. */
  remove(text: string): string | undefined;
}

export interface AgentSetup {
  id: string;
  label: string;
  /** The agent's settings folder: it exists where the agent is used. */
  folder(env: Env): string;
  files(env: Env, program: Program, projects: readonly SetupProject[]): ManagedFile[];
  /** It has files inside a working tree. */
  perProject?: true;
  /** Where C-Mem can inject context. */
  surfaces: readonly string[];
  /** What the user has to do or know after the install. */
  afterwards: string;
}

export const SERVER = "c-mem";

/** C-Mem's hooks and server are recognised by the end of their path, wherever C-Mem is installed. */
const OUR_HOOK = /[\\/]c-mem[\\/]dist[\\/]hook\.cjs\b/;
const OUR_SERVER = /[\\/]c-mem[\\/]dist[\\/]mcp\.cjs$/;

export function isOurCommand(command: unknown): boolean {
  return typeof command === "string" && OUR_HOOK.test(command);
}

/** A group with one hook, in the form of Codex CLI and Gemini CLI. */
export function isOurGroup(group: unknown): boolean {
  const hooks = asObjects(asObject(group)?.["hooks"]);
  return hooks.length === 1 && isOurCommand(hooks[0]?.["command"]);
}

/** The bundle is the first argument, or the second word of a command that is a list. */
export function isOurServer(entry: unknown): boolean {
  const server = asObject(entry);
  return [...asArray(server?.["args"]), ...asArray(server?.["command"])].some(
    (word) => typeof word === "string" && OUR_SERVER.test(word),
  );
}

export function serverEntry({ node, mcp, cache }: Program) {
  return { command: node, args: [mcp], env: { NODE_COMPILE_CACHE: cache } };
}

/** A hook's command, for agents that run it in a shell. */
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
