// A tool's arguments as a model gives them: anything may come, so everything is looked at before it is used.
import { AppError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";

export type Args = Readonly<Record<string, unknown>>;

/** Longer than any question; what is pasted here by mistake is told so. */
const MAX_CHARS = 20_000;
const MAX_IDS = 20;
const MAX_ID_CHARS = 200;

export function checkNames(args: Args, known: readonly string[]): void {
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw usage(`There is no argument "${oneLine(unknown, 60)}".`, `There are: ${known.join(", ")}`);
}

export function readText(args: Args, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw usage(`"${name}" must be a text.`);
  if (value.length > MAX_CHARS) throw usage(`"${name}" is longer than ${MAX_CHARS} characters.`);
  if (value.includes("\0")) throw usage(`"${name}" holds a NUL character.`);
  const text = value.toWellFormed().trim();
  return text === "" ? undefined : text;
}

export function requireText(args: Args, name: string): string {
  const text = readText(args, name);
  if (text === undefined) throw usage(`"${name}" is missing.`);
  return text;
}

export function readChoice<T extends string>(args: Args, name: string, choices: readonly T[]): T | undefined {
  const text = readText(args, name);
  const choice = choices.find((one) => one === text);
  if (text === undefined || choice !== undefined) return choice;
  throw usage(`"${oneLine(text, 60)}" is no ${name}.`, `One of: ${choices.join(", ")}`);
}

export interface Range {
  default: number;
  min: number;
  max: number;
}

/** Beyond the range is its end: who asks for too much gets as much as there is to get. */
export function readNumber(args: Args, name: string, range: Range): number {
  const value = args[name];
  if (value === undefined || value === null) return range.default;
  const number = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number) || number < 0)
    throw usage(`"${name}" must be a whole number.`);
  return Math.min(range.max, Math.max(range.min, number));
}

export function readFlag(args: Args, name: string): boolean {
  const value = args[name];
  if (value === undefined || value === null) return false;
  if (typeof value === "boolean") return value;
  throw usage(`"${name}" must be true or false.`);
}

/** A list, or a text with commas between; a bare number is an observation's. */
export function readIds(args: Args, name: string): string[] {
  const value = args[name];
  const list: unknown[] = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [value];
  if (value === undefined || value === null || list.length === 0) throw usage(`"${name}" is missing.`, ID_HINT);
  if (list.length > MAX_IDS) throw usage(`"${name}" has more than ${MAX_IDS} ids.`, "Ask in several calls.");
  return [...new Set(list.map((one) => readId(one, name)))];
}

const ID_HINT = "Ids look like o78 (observation), p12, m34, t56 (items), or are a session's; search shows them.";

function readId(value: unknown, name: string): string {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return `o${value}`;
  const id = typeof value === "string" ? value.trim() : "";
  if (/^\d{1,15}$/.test(id)) return `o${id}`;
  if (id !== "" && id.length <= MAX_ID_CHARS && !/[\s\0]/.test(id)) return id;
  throw usage(`"${name}" holds something that is no id.`, ID_HINT);
}

function usage(message: string, hint?: string): AppError {
  return new AppError("usage", message, hint === undefined ? {} : { hint });
}
