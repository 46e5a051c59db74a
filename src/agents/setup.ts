// How C-Mem gets into an agent and out again: the files that change, each with what is added and how to take it out.
import type { Env } from "./agent-files.ts";
import { asObject, asObjects } from "../core/json.ts";

/** What the agent is to run. */
export interface Program {
  node: string;
  hook: string;
  mcp: string;
  /** Where Node may keep compiled code. */
  cache: string;
}

/** A working tree in which somebody asked for it. */
export interface SetupProject {
  top: string;
  /** Where git is told what to ignore in this clone alone; left out where there is no repository. */
  exclude?: string;
  /** This tree's own git directory, with its index. */
  gitDir?: string;
}

export interface ManagedFile {
  path: string;
  /** A folder that others fill: the file has to be in it, links resolved. */
  root?: string;
  /** Ours as a whole, and with memory in it: readable by its owner alone. */
  isPrivate?: boolean;
  /** What is added, as a person would say it. */
  about: string;
  /** With ours in it, once; the same text where it is there already. Throws where that cannot be done safely. */
  add(text: string | undefined): string;
  /** Without ours; undefined where nothing else is left. */
  remove(text: string): string | undefined;
}

export interface AgentSetup {
  id: string;
  label: string;
  /** Whether the agent seems to be used on this machine. */
  isThere(env: Env): boolean;
  files(env: Env, program: Program, projects: readonly SetupProject[]): ManagedFile[];
  /** It has files inside a working tree. */
  perProject?: true;
  /** The moments at which memory can reach its model. */
  told: readonly string[];
  /** What a person has to do or know afterwards. */
  afterwards: string;
}

/** How a hook of ours is told from others, wherever C-Mem is installed. */
const OUR_HOOK = /[\\/]c-mem[\\/]dist[\\/]hook\.cjs\b/;
const OUR_SERVER = /[\\/]c-mem[\\/]dist[\\/]mcp\.cjs$/;

export function isOurCommand(command: unknown): boolean {
  return typeof command === "string" && OUR_HOOK.test(command);
}

/** A group of hooks as Codex CLI and Gemini CLI have them, with ours alone in it. */
export function isOurGroup(group: unknown): boolean {
  const hooks = asObjects(asObject(group)?.["hooks"]);
  return hooks.length === 1 && isOurCommand(hooks[0]?.["command"]);
}

export function isOurServer(bundle: unknown): boolean {
  return typeof bundle === "string" && OUR_SERVER.test(bundle);
}

/** For agents that hand their hooks to a shell. */
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
