// What could be typed next, given the words so far and the commands there are.
import type { Command, Option } from "commander";
import { CONCEPTS, OBSERVATION_TYPES } from "../../core/memory.ts";
import { FIND_KINDS, ROLE_NAMES } from "../../recall/search/find.ts";
import { WORKER_ACTIONS } from "../worker-actions.ts";
import { SHELLS } from "./scripts.ts";

export interface Candidate {
  value: string;
  about: string;
}

/** What only the store can tell, asked for when it is needed. */
export interface Known {
  agents(): Candidate[];
  projects(): Candidate[];
  sessions(prefix: string): Candidate[];
  observations(): Candidate[];
  efforts(): Candidate[];
}

type Values = readonly string[] | keyof Known;

/** By the option's name, or by command and option. */
const OPTION_VALUES: Readonly<Record<string, Values>> = {
  agent: "agents",
  concept: CONCEPTS,
  project: "projects",
  session: "sessions",
  "context format": ["markdown", "json", "plain"],
  "export format": ["md", "html", "json"],
  kind: FIND_KINDS,
  method: ["plugin", "settings"],
  role: ROLE_NAMES,
  source: ["startup", "clear", "compact", "resume"],
  type: OBSERVATION_TYPES,
};

/** Of a command's first argument, by its name. */
const ARGUMENT_VALUES: Readonly<Record<string, Values>> = {
  "worker-action": WORKER_ACTIONS,
  agent: "agents",
  "backup-action": ["create", "list", "verify", "restore"],
  session: "sessions",
  project: "projects",
  effort: "efforts",
  observation: "observations",
  observations: "observations",
  old: "observations",
  shell: SHELLS,
};

/** The last of the words is the one being typed. */
export function findCandidates(program: Command, words: readonly string[], known: Known): Candidate[] {
  const typed = words.at(-1) ?? "";
  const [name, ...rest] = words.slice(0, -1);
  const beginning = ({ value }: Candidate): boolean => value.startsWith(typed);
  if (name === undefined) return commandsOf(program).filter(beginning);
  const command = program.commands.find((one) => one.name() === name);
  if (command === undefined || rest.includes("--")) return [];
  const joined = /^(--[^=]+)=(.*)$/s.exec(typed);
  if (joined !== null) return optionValues(command, joined[1], joined[2] ?? "", known, `${joined[1]}=`);
  const takesValue = optionOf(command, rest.at(-1));
  if (takesValue?.required) return optionValues(command, rest.at(-1), typed, known);
  if (typed.startsWith("-")) return optionsOf(command).filter(beginning);
  if (positionals(command, rest).length > 0) return [];
  return valuesOf(ARGUMENT_VALUES[command.registeredArguments[0]?.name() ?? ""], typed, known);
}

function commandsOf(program: Command): Candidate[] {
  const shown = program.createHelp().visibleCommands(program);
  return shown.map((command) => ({ value: command.name(), about: command.description() }));
}

function optionsOf(command: Command): Candidate[] {
  const shown = command.createHelp().visibleOptions(command);
  return shown.map((option) => ({ value: option.long ?? option.short ?? "", about: option.description }));
}

function optionOf(command: Command, flag: string | undefined): Option | undefined {
  return command.options.find((option) => flag !== undefined && (option.long === flag || option.short === flag));
}

function optionValues(command: Command, flag: string | undefined, typed: string, known: Known, lead = ""): Candidate[] {
  const name = optionOf(command, flag)?.long?.slice(2) ?? "";
  const values = OPTION_VALUES[`${command.name()} ${name}`] ?? OPTION_VALUES[name];
  return valuesOf(values, typed, known).map((one) => ({ ...one, value: lead + one.value }));
}

function valuesOf(values: Values | undefined, typed: string, known: Known): Candidate[] {
  if (values === undefined) return [];
  const all = typeof values === "string" ? known[values](typed) : values.map((value) => ({ value, about: "" }));
  return all.filter(({ value }) => value.startsWith(typed));
}

/** The words that are neither options nor their values. */
function positionals(command: Command, words: readonly string[]): string[] {
  return words.filter((word, index) => !word.startsWith("-") && !optionOf(command, words[index - 1])?.required);
}
