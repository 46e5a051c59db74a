// The HTTP route of a query.
import * as z from "zod";
import { readInput } from "../queries/fields.ts";
import type { AnyQuery } from "../queries/query.ts";
import type { Call, Route } from "./route.ts";

/** `GET` reads the input from the path and the parameters, the other methods from the path and the body. */
export function queryRoute(query: AnyQuery): Route {
  const { http, name, about, fields, reply, run } = query;
  if (http === undefined) throw new Error(`${name} has no route`);
  const { method = "get", path, tag, errors, isSlow, readsFiles, startsWork, tells } = http;
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
    ...(readsFiles && { readsFiles: readsFiles }),
    run: async ({ asked, host }) => {
      const result = await answer({ asked });
      if (startsWork) host.onWork();
      if (tells !== undefined) host.live.broadcast(tells, { ...changedRow(result.data as object), change: "edited" });
      return result;
    },
  };
}

function changedRow(data: object): object {
  return "results" in data ? ((data.results as object[])[0] ?? {}) : data;
}
