// The HTTP route of a query.
import * as z from "zod";
import { readInput } from "../queries/fields.ts";
import type { AnyQuery } from "../queries/query.ts";
import type { Route } from "./route.ts";

/** `GET` reads the input from the path and the parameters, the other methods from the path and the body. */
export function queryRoute(query: AnyQuery): Route {
  const { http: definition, name, about, fields, reply, run, document } = query;
  if (definition === undefined) throw new Error(`${name} has no route`);
  const { method = "get", startsWork, tells, ...rest } = definition;
  return {
    ...rest,
    method,
    command: name,
    about,
    fields,
    reply: () => reply(z),
    run: async ({ context, query: values, host, http }) => {
      const input = readInput(fields, values as Record<string, unknown>, (key) => key);
      const result = await run(input, context);
      if (startsWork) host.onWork();
      if (tells !== undefined) host.live.broadcast(tells, { ...changedRow(result.data as object), change: "edited" });
      const file = document?.(result, { input, accept: http.req.header("Accept") ?? "" });
      if (file === undefined) return result;
      const { body, type, fileName } = file;
      const headers = fileName === undefined ? {} : { "Content-Disposition": `attachment; filename="${fileName}"` };
      return http.body(body, 200, { "Content-Type": type, ...headers });
    },
  };
}

function changedRow(data: object): object {
  return "results" in data ? ((data.results as object[])[0] ?? {}) : data;
}
