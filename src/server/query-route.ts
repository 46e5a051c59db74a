// The HTTP route of a query.
import * as z from "zod";
import { readInput } from "../queries/fields.ts";
import type { AnyQuery } from "../queries/query.ts";
import type { Call, Route } from "./route.ts";

/** `GET` reads the input from the path and the parameters, the other methods from the path and the body. */
export function queryRoute(query: AnyQuery): Route {
  const { http, name, about, fields, reply, run } = query;
  if (http === undefined) throw new Error(`${name} has no route`);
  const { method = "get", path, tag, errors, isSlow, readsFiles } = http;
  const answer = ({ asked: { flags, kept, ...context } }: Pick<Call<unknown, unknown>, "asked">) => {
    const input = readInput(fields, flags, (key) => key);
    return run(input, { ...context, ...(kept && { embeddings: kept }) });
  };
  return {
    method,
    path,
    command: name,
    about,
    tag,
    fields,
    reply: () => reply(z),
    ...(errors && { errors }),
    ...(isSlow && { isSlow }),
    ...(readsFiles && { looksElsewhere: readsFiles }),
    run: answer,
  };
}
