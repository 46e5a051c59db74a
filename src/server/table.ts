// Every route of the API.
import { QUERIES } from "../queries/all.ts";
import { queryRoute } from "./query-route.ts";
import type { Route } from "./route.ts";
import { FORGET, HELD, TAKE_BACK } from "./routes/forget.ts";
import { COMPLETE, INIT, INIT_ONE, PROCESSING, SUMMARIZE, TOOL_USE } from "./routes/ingest.ts";
import { LINK } from "./routes/open.ts";

export const ROUTES: readonly Route[] = [
  ...QUERIES.map(queryRoute),
  INIT,
  INIT_ONE,
  TOOL_USE,
  SUMMARIZE,
  COMPLETE,
  PROCESSING,
  FORGET,
  HELD,
  TAKE_BACK,
  LINK,
];
