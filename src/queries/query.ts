// A query: its inputs, function, JSON and text. The command, the HTTP route, the OpenAPI entry and the page's types are
// made from it. MCP tools run queries.
import type * as z from "zod";
import type { Env, Paths } from "../config/paths.ts";
import type { Db } from "../store/db/driver.ts";
import type { SemanticState } from "../recall/search/semantic.ts";
import type { EmbeddingCache } from "./embedding-cache.ts";
import type { Answer } from "./envelope.ts";
import type { Fields, InputOf } from "./fields.ts";

export type Zod = typeof z;

export interface QueryContext {
  db: Db;
  paths: Paths;
  env: Env;
  /** The current folder. Undefined over HTTP: then a query covers every project unless one is named. */
  cwd: string | undefined;
  /** In a long-running process: the loaded model and vectors. */
  embeddings?: EmbeddingCache;
  /** The embedding of the search words, if several queries share it. */
  semantic?: Promise<SemanticState>;
  /** How long a search may index new rows before it searches (default: until all are indexed). */
  indexing?: { maxMs: number };
}

export interface ReplySchema<Data extends z.ZodType = z.ZodType, Meta extends z.ZodType = z.ZodType> {
  data: Data;
  meta?: Meta;
}

/** The second argument of `text`. */
export interface TextContext<Input> {
  input: Input;
  db: Db;
  /** Prints a line on stderr, above the text. */
  header(text: string): void;
  /** Prints a line on stderr, below the text. */
  note(text: string): void;
}

export interface HttpRoute {
  method?: "get" | "post" | "put" | "patch" | "delete";
  path: string;
  tag: string;
  /** The query can take seconds in a large store, so there it runs in its own process. */
  isSlow?: true;
  /** The query also reads files, so its replies are not cached by the store's version. */
  readsFiles?: true;
  /** The query creates jobs for the worker. */
  startsWork?: true;
  /** The stream event that announces the observation that the query changed. */
  announces?: "observation";
  /** Content types of `document`, besides JSON. */
  alsoGives?: readonly string[];
  /** Error codes besides the common ones. */
  errors?: readonly string[];
}

/** A reply over HTTP that is not JSON. With a file name the browser saves it. */
export interface HttpDocument {
  body: string;
  type: string;
  fileName?: string;
}

export interface Query<
  F extends Fields = Fields,
  Data extends z.ZodType = z.ZodType,
  Meta extends z.ZodType = z.ZodType,
  Result extends object = object,
> {
  name: string;
  /** A verb phrase of at most 60 characters. */
  about: string;
  /** Sentences below the options in help. */
  details?: string;
  fields: F;
  http?: HttpRoute;
  /** Gets zod as an argument: the server and tests load zod, hooks and commands do not. */
  reply(z: Zod): ReplySchema<Data, Meta>;
  run(input: InputOf<F>, context: QueryContext): Result | Promise<Result>;
  /** The reply over HTTP if it is not JSON. Undefined: JSON. */
  document?(result: Result, request: { input: InputOf<F>; accept: string }): HttpDocument | undefined;
  text?(result: Result, view: TextContext<InputOf<F>>): string;
}

type ResultOf<Data extends z.ZodType, Meta extends z.ZodType> = {
  data: z.input<Data>;
} & (z.ZodType extends Meta ? { meta?: never } : { meta: z.input<Meta> });

/** A query of any type, for the command line, HTTP and MCP. */
export type AnyQuery = Query<Fields, z.ZodType, z.ZodType, Answer>;

/** Checks at compile time that the result of `run` fits the schema. */
export function defineQuery<
  const F extends Fields,
  Data extends z.ZodType,
  Meta extends z.ZodType,
  Result extends ResultOf<Data, Meta>,
>(query: Query<F, Data, Meta, Result>): Query<F, Data, Meta, Result> {
  return query;
}

/** The type of `data` in a query's JSON reply. */
export type DataOf<Q> = Q extends { reply(z: Zod): { data: infer Data extends z.ZodType } } ? z.output<Data> : never;
export type MetaOf<Q> = Q extends { reply(z: Zod): { meta?: infer Meta extends z.ZodType } } ? z.output<Meta> : never;
