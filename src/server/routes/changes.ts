// What a person changes: memory, settings, background work.
import * as z from "zod";
import { answerObservation } from "../../queries/observations.ts";
import { changeSetting } from "../../queries/settings.ts";
import { AppError } from "../../core/error.ts";
import { described } from "./health.ts";
import { route } from "../route.ts";
import { listOf, textOrNull } from "../schemas/common.ts";
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

export const CHANGE_SETTING = route({
  method: "put",
  path: "/api/settings/:key",
  command: "config",
  tag: "settings",
  about: "Changes a setting in the user's own file; what does not fit is refused.",
  body: z.strictObject({ value: z.unknown() }),
  reply: () => ({ data: described(), meta: z.strictObject({ notice: textOrNull() }) }),
  errors: ["bad_config"],
  run: ({ asked, params, body }) => {
    if (body.value === undefined) throw new AppError("usage", "body.value: is missing");
    return changeSetting(asked, params["key"] ?? "", body.value);
  },
});

export const UNSET_SETTING = route({
  method: "delete",
  path: "/api/settings/:key",
  command: "config",
  tag: "settings",
  about: "The default again.",
  reply: () => ({ data: described(), meta: z.strictObject({ notice: textOrNull() }) }),
  errors: ["bad_config"],
  run: ({ asked, params }) => changeSetting(asked, params["key"] ?? "", undefined),
});
