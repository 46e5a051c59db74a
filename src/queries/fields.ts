// The inputs of a query or command as one table, from which flags, HTTP parameters, MCP arguments and help are made.
// Not zod: importing it takes 10 ms or more, all of `c-mem search` only 20 ms more than a bare Node start
// (docs/adr/0004-input-tables.md).
import { usageError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";

interface FieldBase {
  about: string;
  /** One letter: "p" gives -p. */
  short?: string;
  /** On the command line a word without a dash: "<path>", "[id]", "<words...>". */
  position?: string;
  /** On the command line: if the argument is missing or "-", the value is read from stdin. */
  stdin?: true;
  /** Other accepted names. */
  aliases?: readonly string[];
  /** The shell completes this kind of values, from the store, besides `choices`. */
  values?: "agents" | "projects" | "sessions" | "observations" | "efforts";
  /** The only interface that has the field: "offset" exists only over HTTP. */
  only?: "cli" | "http";
  required?: true | undefined;
}

export interface TextField extends FieldBase {
  kind: "text";
  choices?: readonly string[];
  /** In help: --project <name>. */
  value?: string;
  maxChars?: number;
}

/** Several texts: "a,b" on the command line, an array in JSON. */
export interface ListField extends FieldBase {
  kind: "list";
  choices?: readonly string[];
  value?: string;
  maxItems?: number;
}

export interface NumberField extends FieldBase {
  kind: "number";
  min?: number;
  max?: number;
  /** A value below min becomes min, one above max becomes max. A negative value is still an error. */
  clamp?: true;
  value?: string;
}

export interface FlagField extends FieldBase {
  kind: "flag";
  /** True by default, e.g. `sync`; --no-sync makes it false. */
  isNegative?: boolean;
}

/** Any JSON value. */
export interface JsonField extends FieldBase {
  kind: "json";
  value?: string;
}

export type Field = JsonField | TextField | ListField | NumberField | FlagField;
export type Fields = Readonly<Record<string, Field>>;

type ValueOf<F extends Field> = F extends FlagField
  ? boolean
  : F extends NumberField
    ? number | Missing<F>
    : F extends ListField
      ? ItemOf<F>[] | Missing<F>
      : F extends JsonField
        ? unknown
        : ItemOf<F> | Missing<F>;
type ItemOf<F> = F extends { choices: readonly (infer Choice)[] } ? Choice : string;
type Missing<F extends Field> = F extends { required: true } ? never : undefined;

export type InputOf<F extends Fields> = { -readonly [Name in keyof F]: ValueOf<F[Name]> };

/** Infers the literal types of the table: choices and `required`. */
export function fields<const F extends Fields>(table: F): F {
  return table;
}

/** Formats a field's name for messages: --limit, limit, "limit" */
export type NameField = (key: string) => string;

const MAX_NUMBER = 1_000_000_000;
const MAX_CHARS = 100_000;

/** Checks and converts the values that a command, request or tool call gave, by field name. */
export function readInput<F extends Fields>(
  table: F,
  values: Record<string, unknown>,
  nameField: NameField,
): InputOf<F> {
  const input: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(table)) {
    const given = [key, ...(field.aliases ?? [])].map((name) => values[name]).filter((value) => value != null);
    if (given.length > 1 && new Set(given).size > 1)
      throw usageError(
        `${[key, ...(field.aliases ?? [])].map(nameField).join(" and ")} mean the same.`,
        "Give one of them.",
      );
    input[key] = readValue(field, given[0], nameField(key));
    if (input[key] === undefined && field.required) throw usageError(`${nameField(key)} is missing.`);
  }
  return input as InputOf<F>;
}

function readValue(field: Field, value: unknown, name: string): unknown {
  switch (field.kind) {
    case "json":
      return value;
    case "flag":
      return readFlag(field, value, name);
    case "number":
      return value === undefined ? undefined : readNumber(field, value, name);
    case "text":
      return value === undefined ? undefined : readChoice(field, readText(value, name, field.maxChars), name);
    case "list":
      return value === undefined ? undefined : readList(field, value, name);
  }
}

/** `?all`, `?all=1` and `?all=true` are true. */
function readFlag({ isNegative = false }: FlagField, value: unknown, name: string): boolean {
  if (value === undefined) return isNegative;
  if (typeof value === "boolean") return value;
  if (value === "" || value === "1" || value === "true") return true;
  if (value === "0" || value === "false") return false;
  throw usageError(`${name} must be true or false.`);
}

function readNumber({ min = 1, max = MAX_NUMBER, clamp }: NumberField, value: unknown, name: string): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (clamp && typeof number === "number" && Number.isInteger(number) && number >= 0)
    return Math.min(max, Math.max(min, number));
  if (typeof number === "number" && Number.isInteger(number) && number >= min && number <= max) return number;
  const below = min === 0 ? "a whole number" : `a whole number above ${min - 1}`;
  const range = max === MAX_NUMBER ? below : `a whole number from ${min} to ${max}`;
  throw usageError(`${name} takes ${range}, not "${oneLine(String(value), 60)}".`);
}

function readText(value: unknown, name: string, maxChars = MAX_CHARS): string {
  if (typeof value !== "string") throw usageError(`${name} must be a string.`);
  if (value.length > maxChars) throw usageError(`${name} is longer than ${maxChars} characters.`);
  if (value.includes("\0")) throw usageError(`${name} contains a NUL character.`);
  return value.toWellFormed();
}

function readList(field: ListField, value: unknown, name: string): string[] {
  const items = Array.isArray(value) ? value : String(value).split(",");
  if (items.length > (field.maxItems ?? MAX_ITEMS))
    throw usageError(`${name} has more than ${field.maxItems ?? MAX_ITEMS} items.`);
  const texts = items
    .map((item) => readText(typeof item === "number" ? String(item) : item, name).trim())
    .filter((item) => item !== "");
  return texts.map((item) => readChoice(field, item, name));
}

const MAX_ITEMS = 200;

function readChoice({ choices }: { choices?: readonly string[] }, text: string, name: string): string {
  if (choices === undefined || choices.includes(text)) return text;
  throw usageError(`Invalid ${name} "${oneLine(text, 60)}".`, `One of: ${choices.join(", ")}`);
}

/** For the parameters and bodies in the OpenAPI document. */
export function jsonSchemaOf(field: Field): Record<string, unknown> {
  const choices = "choices" in field && field.choices !== undefined ? { enum: field.choices } : {};
  switch (field.kind) {
    case "json":
      return { description: field.about };
    case "flag":
      return { type: "boolean", description: field.about };
    case "number":
      return {
        type: "integer",
        minimum: field.min ?? 1,
        ...(field.max !== undefined && { maximum: field.max }),
        description: field.about,
      };
    case "text":
      return { type: "string", ...choices, description: field.about };
    case "list":
      return { type: "array", items: { type: "string", ...choices }, description: field.about };
  }
}
