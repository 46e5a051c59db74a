// A route is a row: what it takes, what it gives, which question it asks. The app and its OpenAPI document are made from rows.
import type { Context } from "hono";
import type * as z from "zod";
import type { Answer } from "../queries/envelope.ts";
import type { Fields } from "../queries/fields.ts";
import type { QueryContext } from "../queries/query.ts";
import type { Host } from "./host.ts";

export interface Call<Query, Body> {
  context: QueryContext;
  params: Record<string, string>;
  query: Query;
  body: Body;
  host: Host;
  http: Context;
}

/** `data` and `meta` of the envelope. Made when somebody wants to see them: replies are not checked at run time. */
export type ReplySchema = () => { data: z.ZodType; meta?: z.ZodType };

export interface Route<Query extends z.ZodType = z.ZodType, Body extends z.ZodType = z.ZodType> {
  method: "get" | "post" | "put" | "patch" | "delete";
  path: string;
  /** As in the envelope: the command line's name of the same question. */
  command: string;
  /** One sentence. */
  about: string;
  tag: string;
  query?: Query;
  body?: Body;
  /** Of a query: its parameters, or its body where the method is not GET. */
  fields?: Fields;
  /** Reads every row: in a large store it runs in its own process. */
  isSlow?: true;
  reply: ReplySchema;
  /** Besides JSON, e.g. "text/plain". */
  alsoGives?: readonly string[];
  /** Nothing is brought in first: for what adds to it, often. */
  asIs?: boolean;
  /** It tells of more than the store: no answer stays good because the store is as it was. */
  readsFiles?: true;
  /** Codes of errors besides those that every route may give. */
  errors?: readonly string[];
  run(call: Call<z.output<Query>, z.output<Body>>): Answer | Response | Promise<Answer | Response>;
}

/** Keeps the types of a row's schemas while it is written, and lets them go afterwards. */
export function route<Query extends z.ZodType, Body extends z.ZodType>(row: Route<Query, Body>): Route {
  return row as unknown as Route;
}
