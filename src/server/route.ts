// A row in the table of routes. The app and its OpenAPI document are made from the table.
import type { Context } from "hono";
import type * as z from "zod";
import type { Answer } from "../queries/envelope.ts";
import type { Fields } from "../queries/fields.ts";
import type { HttpRoute, QueryContext, ReplySchema } from "../queries/query.ts";
import type { Host } from "./host.ts";

export interface Call<Body> {
  context: QueryContext;
  params: Record<string, string>;
  /** The values of `fields`, before `readInput` checks them. */
  values: Record<string, unknown>;
  body: Body;
  host: Host;
  http: Context;
}

export interface Route<Body extends z.ZodType = z.ZodType> extends Omit<HttpRoute, "startsWork" | "announces"> {
  method: NonNullable<HttpRoute["method"]>;
  /** `command` in the reply. For a query it is the command that prints the same. */
  command: string;
  /** One sentence. */
  about: string;
  /** The inputs of a query: the parameters of GET, otherwise the body. */
  fields?: Fields;
  body?: Body;
  /** The schema of the reply, for the OpenAPI document and tests. Replies are not checked at run time. */
  reply(): ReplySchema;
  /** Do not drain the spool first: the route is called often and reads no new events. */
  skipDrain?: true;
  run(call: Call<z.output<Body>>): Answer | Response | Promise<Answer | Response>;
}

/** Infers the body's type for `run`. */
export function route<Body extends z.ZodType>(row: Route<Body>): Route {
  return row as unknown as Route;
}
