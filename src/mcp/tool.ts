// A tool an agent can call: its description, its arguments as a field table, and what it answers.
import type { Tool } from "@modelcontextprotocol/server";
import { AGENTS } from "../agents/spec.ts";
import type { Env, Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { fields, type Fields, type InputOf, readInput } from "../queries/fields.ts";
import { readScope } from "../queries/scope.ts";
import type { Db } from "../store/db/driver.ts";
import type { Scope } from "../store/reads/scope.ts";
import { line } from "./text.ts";

export interface Call {
  db: Db;
  paths: Paths;
  env: Env;
  /** The client's working directory. */
  cwd: string;
  now: number;
  maxTokens: number;
  consent: Consent;
}

/** Whether the person at the client has agreed. */
export interface Consent {
  canAsk: boolean;
  /** The person's answer, if asked. */
  answer: "accept" | "decline" | undefined;
  /** What was shown on this connection and awaits confirmation. */
  shown: Set<string>;
}

export type Answer =
  | { text: string; isError?: true }
  /** Ask the person this; the client then repeats the call. */
  | { question: string };

interface ToolRow<F extends Fields> {
  name: string;
  description: string;
  fields: F;
  /** Accepted but not listed, because each word of a schema costs tokens: names that other memory systems use. */
  unlisted?: readonly (keyof F & string)[];
  annotations: NonNullable<Tool["annotations"]>;
  /** May come before anything is stored. */
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

/** As short as a schema can be. */
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
    about: "of the answer, up to 10000; default 2000",
  },
});

/** Models send blank texts and nulls for omitted arguments. */
export function readArgs<F extends Fields>(table: F, args: Args): InputOf<F> {
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(table, name));
  if (unknown !== undefined)
    throw new AppError("usage", `Unknown argument "${oneLine(unknown, 60)}".`, {
      hint: `Arguments: ${Object.keys(table).join(", ")}`,
    });
  const values = Object.entries(args).map(([name, value]): [string, unknown] => {
    const text = typeof value === "string" ? value.trim() : value;
    return [name, text === "" ? undefined : text];
  });
  return readInput(table, Object.fromEntries(values), (key) => `"${key}"`);
}

const ID_HINT = "Ids look like o78 (observation), p12, m34, t56 (items), or are a session's; search shows them.";

/** A bare number is an observation's. */
export function checkIds(names: readonly string[]): string[] {
  const ids = names.map((name) => (/^\d{1,15}$/.test(name) ? `o${name}` : name));
  if (ids.length === 0 || ids.some((id) => id.length > MAX_ID_CHARS || /\s/.test(id)))
    throw new AppError("usage", '"ids" must be a list of ids.', { hint: ID_HINT });
  return [...new Set(ids)];
}

const MAX_ID_CHARS = 200;

export const IDS = { kind: "list", required: true, maxItems: 20 } as const;

/** The word for every project. */
export const ALL = "all";

export const PROJECT = fields({ project: { kind: "text", about: 'name, or "all"; default: this one' } });
export const SPAN = fields({
  agent: { kind: "text", choices: AGENTS.map(({ id }) => id), about: "" },
  since: { kind: "text", about: "2026-01-31, 3d, 2w" },
  before: { kind: "text", about: "" },
});

export interface ToolScope {
  scope: Scope;
  /** The project, or "all projects". */
  where: string;
}

export function scopeOf({ project, ...span }: Partial<InputOf<typeof PROJECT & typeof SPAN>>, call: Call): ToolScope {
  const { scope, where } = readScope({ ...span, project, all: project === ALL }, call);
  return { scope, where: line(where, 200) };
}
