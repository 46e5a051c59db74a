// What a person changes: memory, settings, background work.
import * as z from "zod";
import { answerObservation } from "../../queries/observations.ts";
import { AppError } from "../../core/error.ts";
import { route } from "../route.ts";
import { listOf } from "../schemas/common.ts";
import { story } from "../schemas/observation.ts";

const MAX_BATCH = 200;

export const BATCH = route({
  method: "post",
  path: "/api/observations/batch",
  command: "show",
  tag: "memory",
  about: "Several observations by their ids, with all they rest on; ids nobody knows are named.",
  body: z.strictObject({
    ids: z
      .array(z.union([z.string(), z.int()]))
      .max(MAX_BATCH)
      .meta({ description: "o78, or 78" }),
    orderBy: z.string().optional(),
    limit: z.int().optional(),
    project: z.string().optional(),
  }),
  reply: () => ({ data: listOf(story()), meta: z.strictObject({ missing: z.array(z.string()) }) }),
  run: ({ asked, body }) => {
    const ids = body.ids.map((id) => (/^\d+$/.test(String(id)) ? `o${id}` : String(id)));
    const found = ids.map((id) => ({ id, data: tryObservation(() => answerObservation(asked, id)?.data) }));
    return {
      data: { results: found.filter(({ data }) => data !== undefined).map(({ data }) => data) },
      meta: { missing: found.filter(({ data }) => data === undefined).map(({ id }) => id) },
    };
  },
});

function tryObservation<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && error.code === "nothing_found") return undefined;
    throw error;
  }
}
