// Every route of the API.
import type { Route } from "./route.ts";
import { CONTEXT } from "./routes/context.ts";
import { HEALTH, JOBS, LOGS, SETTINGS_ROUTE } from "./routes/health.ts";
import { COST, IMPACT, PROJECTS, STATS } from "./routes/insight.ts";
import { OBSERVATION, OBSERVATIONS } from "./routes/observations.ts";
import { FIND, ITEMS, OUTLINE } from "./routes/reading.ts";
import { FILES, PATHS, SEARCH, TIMELINE } from "./routes/search.ts";
import { EFFORT, EFFORTS, EXPORT, RELATED, SESSION, SESSIONS, TRANSCRIPT } from "./routes/sessions.ts";

export const ROUTES: readonly Route[] = [
  CONTEXT,
  SEARCH,
  TIMELINE,
  SESSIONS,
  SESSION,
  TRANSCRIPT,
  OUTLINE,
  ITEMS,
  FIND,
  EXPORT,
  RELATED,
  OBSERVATIONS,
  OBSERVATION,
  FILES,
  PATHS,
  EFFORTS,
  EFFORT,
  PROJECTS,
  STATS,
  COST,
  IMPACT,
  SETTINGS_ROUTE,
  JOBS,
  HEALTH,
  LOGS,
];
