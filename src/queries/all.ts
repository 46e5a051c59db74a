// Every query that has an HTTP route.
import { projects } from "./projects.ts";
import type { AnyQuery } from "./query.ts";

export const QUERIES: readonly AnyQuery[] = [projects];
