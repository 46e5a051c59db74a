// What the tab key offers for the words typed so far.
import type { Field } from "../../queries/fields.ts";
import { COMMAND_GROUPS, COMMAND_NAMES, loadCommand } from "../commands.ts";
import { type Flag, flagsOf, positionsOf } from "../parse-args.ts";

export interface Candidate {
  value: string;
  about: string;
}

/** Values from the store, read when they are needed. */
export interface Known {
  agents(): Candidate[];
  projects(): Candidate[];
  sessions(prefix: string): Candidate[];
  observations(): Candidate[];
  efforts(): Candidate[];
}

/** The last of the words is the one being typed. */
export async function findCandidates(words: readonly string[], known: Known): Promise<Candidate[]> {
  const typed = words.at(-1) ?? "";
  const [name, ...rest] = words.slice(0, -1);
  const matches = ({ value }: Candidate): boolean => value.startsWith(typed);
  if (name === undefined) return (await commandCandidates()).filter(matches);
  const command = COMMAND_NAMES.includes(name) ? await loadCommand(name) : undefined;
  if (command === undefined || rest.includes("--")) return [];
  const flags = flagsOf(command.fields);
  const takesValue = (word: string | undefined): Flag | undefined =>
    flags.find(({ spellings, field }) => word !== undefined && field.kind !== "flag" && spellings.includes(word));
  const [, option, begun = ""] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
  if (option !== undefined) {
    const values = valuesOf(takesValue(option)?.field, begun, known);
    return values.map((one) => ({ ...one, value: `${option}=${one.value}` }));
  }
  const flag = takesValue(rest.at(-1));
  if (flag !== undefined) return valuesOf(flag.field, typed, known);
  if (typed.startsWith("-")) return optionCandidates(flags).filter(matches);
  const given = rest.filter((word, index) => !word.startsWith("-") && takesValue(rest[index - 1]) === undefined);
  const [first] = positionsOf(command.fields);
  return given.length > 0 ? [] : valuesOf(first?.[1], typed, known);
}

async function commandCandidates(): Promise<Candidate[]> {
  const rows = COMMAND_GROUPS.flatMap(({ commands }) => Object.entries(commands));
  return await Promise.all(rows.map(async ([value, load]) => ({ value, about: (await load()).about })));
}

function optionCandidates(flags: readonly Flag[]): Candidate[] {
  const options = flags.map(({ spellings, field }) => ({ value: spellings[0] ?? "", about: field.about }));
  return [...options, { value: "--json", about: "print JSON" }, { value: "--help", about: "show help" }];
}

function valuesOf(field: Field | undefined, typed: string, known: Known): Candidate[] {
  if (field === undefined) return [];
  const choices = ("choices" in field && field.choices) || [];
  const stored = field.values === undefined ? [] : known[field.values](typed);
  const all = [...choices.map((value) => ({ value, about: "" })), ...stored];
  return all.filter(({ value }) => value.startsWith(typed));
}
