// The table of all routes of the API.
import * as z from "zod";
import { QUERIES } from "../queries/all.ts";
import { readInput } from "../queries/fields.ts";
import type { AnyQuery } from "../queries/query.ts";
import type { Route } from "./route.ts";
import { FORGET_ROUTES } from "./routes/forget.ts";
import { EVENT_ROUTES } from "./routes/ingest.ts";
import { LINK_ROUTE } from "./routes/open.ts";

export const ROUTES: readonly Route[] = [...QUERIES.map(queryRoute), ...EVENT_ROUTES, ...FORGET_ROUTES, LINK_ROUTE];

/** `GET` reads the input from the path and the parameters, the other methods from the path and the body. */
function queryRoute(query: AnyQuery): Route {
  const { http: definition, name, about, fields, reply, run, document } = query;
  if (definition === undefined) throw new Error(`${name} has no route`);
  const { method = "get", startsWork, announces, ...rest } = definition;
  return {
    ...rest,
    method,
    command: name,
    about,
    fields,
    reply: () => reply(z),
    run: async ({ context, values, host, http }) => {
      const input = readInput(fields, values, (key) => key);
      const result = await run(input, context);
      if (startsWork) host.onWork();
      if (announces) host.live.broadcast(announces, { ...changedRow(result.data as object), change: "edited" });
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
