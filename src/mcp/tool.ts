// Defines a tool that agents can call: its description, its arguments as a field table, its function.
import type { Tool } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { AGENTS } from "../agents/spec.ts";
import { AppError, usageError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { fields, type Fields, type InputOf, readInput } from "../queries/fields.ts";
import type { Query, QueryContext } from "../queries/query.ts";
import { type ReadScope, readScope } from "../queries/scope.ts";
import { safeLine } from "./text.ts";

export interface Call extends QueryContext {
  /** The client's working directory. */
  cwd: string;
  now: number;
  maxTokens: number;
  consent: Consent;
}

/** Whether the user of the client has agreed. */
export interface Consent {
  canAsk: boolean;
  /** The user's answer, if the client asked. */
  answer: "accept" | "decline" | undefined;
  /** Deletions, as joined ids, that were shown on this connection and not yet confirmed. */
  unconfirmed: Set<string>;
}

export type Answer =
  | { text: string; isError?: true }
  /** The client asks the user this question, and repeats the call with the answer. */
  | { question: string };

interface ToolRow<F extends Fields> {
  name: string;
  description: string;
  fields: F;
  /** Fields that are accepted but not in the schema, to save tokens: rarely used, or names of other memory systems. */
  unlisted?: readonly (keyof F & string)[];
  annotations: NonNullable<Tool["annotations"]>;
  /** The tool writes: the store is created if it does not exist. */
  isWriting?: true;
  run(input: InputOf<F>, call: Call): Answer | Promise<Answer>;
}

export interface MemoryTool {
  definition: Tool;
  fields: Fields;
  isWriting: boolean;
  run(input: InputOf<Fields>, call: Call): Answer | Promise<Answer>;
}

export function defineTool<const F extends Fields>(row: ToolRow<F>): MemoryTool {
  const { name, description, annotations, unlisted = [], isWriting = false } = row;
  const listed = Object.entries(row.fields).filter(([key]) => !unlisted.includes(key));
  const required = listed.filter(([, field]) => field.required).map(([key]) => key);
  const properties = Object.fromEntries(listed.map(([key, field]) => [key, propertyOf(field)]));
  const inputSchema = { type: "object", properties, ...(required.length > 0 && { required }) } as Tool["inputSchema"];
  return {
    definition: { name, description, inputSchema, annotations },
    fields: row.fields,
    isWriting,
    run: row.run as MemoryTool["run"],
  };
}

const TYPES = { text: "string", number: "integer", flag: "boolean", list: "array", json: "object" } as const;

/** Shorter than `jsonSchemaOf`: every session pays tokens for it. */
function propertyOf(field: Fields[string]): Record<string, unknown> {
  return {
    type: TYPES[field.kind],
    ...(field.kind === "list" && { items: { type: "string" } }),
    ...(field.kind === "text" && field.choices !== undefined && { enum: field.choices }),
    ...(field.about !== "" && { description: field.about }),
  };
}

export type Args = Readonly<Record<string, unknown>>;

export const MAX_TOKENS = fields({
  max_tokens: {
    kind: "number",
    min: 300,
    max: 10_000,
    clamp: true,
    about: "default 2000",
  },
});

/** Treats blank texts and nulls as omitted: models send them for arguments that they do not need. */
export function readArgs<F extends Fields>(table: F, args: Args): InputOf<F> {
  const known = Object.entries(table).flatMap(([key, { aliases = [] }]) => [key, ...aliases]);
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw usageError(`Unknown argument "${oneLine(unknown, 60)}".`, `Arguments: ${known.join(", ")}`);
  const values = Object.entries(args).map(([name, value]): [string, unknown] => {
    const text = typeof value === "string" ? value.trim() : value;
    return [name, text === "" ? undefined : text];
  });
  return readInput(table, Object.fromEntries(values), inQuotes);
}

const inQuotes = (key: string): string => `"${key}"`;

const ID_HINT = "Ids: o78 (observation), p12, m34, t56 (items), or a session id. search shows them.";

/** "78" -> "o78" */
export function checkIds(names: readonly string[]): string[] {
  const ids = names.map((name) => (/^\d{1,15}$/.test(name) ? `o${name}` : name));
  if (ids.length === 0 || ids.some((id) => id.length > MAX_ID_CHARS || /\s/.test(id)))
    throw usageError('"ids" must be a list of ids.', ID_HINT);
  return [...new Set(ids)];
}

const MAX_ID_CHARS = 200;

export const IDS = { kind: "list", required: true, maxItems: 20 } as const;

/** `project: "all"` means every project. */
export const ALL = "all";

export const PROJECT = fields({ project: { kind: "text", about: "name, or all" } });
export const FILTERS = fields({
  agent: { kind: "text", choices: AGENTS.map(({ id }) => id), about: "" },
  since: { kind: "text", about: "2026-01-31, 3d, 2w" },
  before: { kind: "text", about: "" },
});

/** Some fields of a query, with descriptions for agents. */
export function pickFields<F extends Fields, Key extends keyof F & string>(
  table: F,
  words: Readonly<Record<Key, string>>,
): Pick<F, Key> {
  const entries = Object.entries<string>(words).map(([key, about]) => [key, { ...table[key], about }]);
  return Object.fromEntries(entries) as Pick<F, Key>;
}

/** Throws if the project is unknown. */
export function scopeOf(args: ToolArgs, call: Call): ReadScope {
  const found = readScope(withoutAll(args), call);
  return { ...found, where: safeLine(found.where, 200), anywhere: safeLine(found.anywhere, 200) };
}

type ToolArgs = Partial<InputOf<typeof PROJECT & typeof FILTERS>>;

/** { project: "all" } -> { all: true } */
function withoutAll<Given extends ToolArgs>({ project, ...args }: Given) {
  return { ...args, project: project === ALL ? undefined : project, all: project === ALL };
}

/** Runs a query with a tool's arguments, except those that the query does not have. */
export async function runQuery<F extends Fields, Result extends object>(
  query: Query<F, z.ZodType, z.ZodType, Result>,
  args: ToolArgs & Record<string, unknown>,
  call: Call,
): Promise<Result> {
  return await query.run(readInput(query.fields, withoutAll(args), inQuotes), call);
}

/** Like `runQuery`, but returns the error if nothing matches. */
export async function tryQuery<F extends Fields, Result extends object>(
  ...args: Parameters<typeof runQuery<F, Result>>
): Promise<Result | AppError> {
  try {
    return await runQuery(...args);
  } catch (error) {
    if (error instanceof AppError && error.code === "nothing_found") return error;
    throw error;
  }
}

/** `--all` -> `project: "all"`: tools have arguments, not options. */
export function errorText({ message, hint }: Pick<AppError, "message" | "hint">): string {
  return [message, hint]
    .filter((part) => part !== undefined)
    .join(" ")
    .replaceAll("--all", 'project: "all"')
    .replace(/--(reads|since|agent)\b/g, "$1");
}
