// Reads a command line by the command's field table.
import { AppError } from "../core/error.ts";
import { nearestWord } from "../core/edit-distance.ts";
import type { Field, Fields } from "../queries/fields.ts";

export interface Flag {
  key: string;
  /** "--project" and "-p". */
  spellings: string[];
  field: Field;
}

export function flagsOf(fields: Fields): Flag[] {
  const given = Object.entries(fields).filter(([, { position, only }]) => position === undefined && only !== "http");
  return given.map(([key, field]) => ({ key, spellings: spellingsOf(key, field), field }));
}

function spellingsOf(key: string, field: Field): string[] {
  const names = [key, ...(field.aliases ?? [])].map((name) => optionName(name, field));
  return field.short === undefined ? names : [...names, `-${field.short}`];
}

/** "dryRun" and "dry_run" are --dry-run; a flag that is on by default, e.g. `sync`, is --no-sync. */
export function optionName(key: string, field?: Field): string {
  const words = key.replace(/_/g, "-").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${field?.kind === "flag" && field.isNegative ? "no-" : ""}${words}`;
}

/** The fields given by position, in order: "<path>", "[id]", "<words...>". */
export function positionsOf(fields: Fields): [key: string, field: Field & { position: string }][] {
  return Object.entries(fields).flatMap(([key, field]) =>
    field.position === undefined || field.only === "http" ? [] : [[key, { ...field, position: field.position }]],
  );
}

export function parseArgs(fields: Fields, argv: readonly string[]) {
  const flags = flagsOf(fields);
  const values: Record<string, unknown> = {};
  const words: string[] = [];
  const parsed = { values, json: false, help: false };
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (word === "--") {
      words.push(...argv.slice(index + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      words.push(word);
      continue;
    }
    // Accepts "-n5" and "-qv" as well as "-n 5" and "-q -v".
    const [, name = word, attached] = /^(--[^=]+)=(.*)$/s.exec(word) ?? /^(-[^-])(.+)$/s.exec(word) ?? [];
    if (name === "--json" || name === "--help" || name === "-h") {
      parsed[name === "--json" ? "json" : "help"] = true;
      continue;
    }
    const flag = flags.find(({ spellings }) => spellings.includes(name));
    if (flag === undefined) throw unknownOption(name, flags);
    if (flag.field.kind === "flag") {
      if (attached !== undefined && name.startsWith("--")) throw usage(`${name} takes no value.`);
      values[flag.key] = !flag.field.isNegative;
      if (attached !== undefined) argv = [...argv.slice(0, index + 1), `-${attached}`, ...argv.slice(index + 1)];
      continue;
    }
    const value = attached ?? argv[++index];
    // "-" alone is stdin or stdout, a value like any other.
    if (value === undefined || (attached === undefined && value !== "-" && value.startsWith("-")))
      throw usage(`${name} needs a value.`);
    values[flag.key] = value;
  }
  if (!parsed.help) takeWords(fields, words, values);
  return parsed;
}

function takeWords(fields: Fields, words: readonly string[], values: Record<string, unknown>): void {
  const rest = [...words];
  for (const [key, { position, kind }] of positionsOf(fields)) {
    if (rest.length === 0 && position.startsWith("<")) throw usage(`Missing argument: ${position}`);
    if (rest.length === 0) continue;
    const taken = position.includes("...") ? rest.splice(0) : rest.splice(0, 1);
    values[key] = kind === "list" ? taken : taken.join(" ");
  }
  if (rest.length > 0) throw usage(`Unexpected argument "${rest[0]}".`);
}

function unknownOption(name: string, flags: readonly Flag[]): AppError {
  const meant = nearestWord(
    name,
    flags.flatMap(({ spellings }) => spellings),
  );
  return usage(`Unknown option ${name}.`, meant === undefined ? undefined : `Did you mean ${meant}?`);
}

function usage(message: string, hint?: string): AppError {
  return new AppError("usage", message, hint === undefined ? {} : { hint });
}
