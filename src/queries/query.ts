// A query: its inputs, function, JSON and text. The command, the HTTP route with its OpenAPI entry and the page's types are made
// from it; MCP tools run it.
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
  /** In a long-running process: the open model and vectors. */
  embeddings?: EmbeddingCache;
  /** The embedded words, where two queries search the same ones. */
  semantic?: Promise<SemanticState>;
  /** How long a search may index new rows first (default: until all are indexed). */
  indexing?: { maxMs: number };
}

export interface ReplySchema<Data extends z.ZodType = z.ZodType, Meta extends z.ZodType = z.ZodType> {
  data: Data;
  meta?: Meta;
}

/** What `text` may use besides the result. */
export interface View<Input> {
  input: Input;
  db: Db;
  /** Prints a line on stderr, above the text. */
  header(text: string): void;
  /** The same, below it. */
  note(text: string): void;
}

export interface HttpRoute {
  method?: "get" | "post" | "put" | "patch" | "delete";
  path: string;
  tag: string;
  /** Reads every row: in a large store it runs in its own process. */
  isSlow?: true;
  /** Reads more than the store: replies are not cached by the store's version. */
  readsFiles?: true;
  /** The worker has work to do afterwards. */
  startsWork?: true;
  /** The event of the stream that carries the changed observation. */
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
  /** Gets zod as an argument: only the server and tests load it, hooks and commands never. */
  reply(z: Zod): ReplySchema<Data, Meta>;
  run(input: InputOf<F>, context: QueryContext): Result | Promise<Result>;
  /** Over HTTP, instead of JSON. Undefined: JSON. */
  document?(result: Result, request: { input: InputOf<F>; accept: string }): HttpDocument | undefined;
  text?(result: Result, view: View<InputOf<F>>): string;
}

type ResultOf<Data extends z.ZodType, Meta extends z.ZodType> = {
  data: z.input<Data>;
} & (z.ZodType extends Meta ? { meta?: never } : { meta: z.input<Meta> });

/** Any query, as the edges use it. */
export type AnyQuery = Query<Fields, z.ZodType, z.ZodType, Answer>;

/** Checks at compile time that what `run` returns fits the schema. */
export function defineQuery<
  const F extends Fields,
  Data extends z.ZodType,
  Meta extends z.ZodType,
  Result extends ResultOf<Data, Meta>,
>(query: Query<F, Data, Meta, Result>): Query<F, Data, Meta, Result> {
  return query;
}

/** `data` of a query's reply, as JSON carries it. */
export type DataOf<Q> = Q extends { reply(z: Zod): { data: infer Data extends z.ZodType } } ? z.output<Data> : never;
export type MetaOf<Q> = Q extends { reply(z: Zod): { meta?: infer Meta extends z.ZodType } } ? z.output<Meta> : never;
