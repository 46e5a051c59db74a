// What a person changes: memory, settings, background work.
import * as z from "zod";
import { answerObservation } from "../../queries/observations.ts";
import { answerEdit, answerPin, answerRemember, answerSupersede, editByFlags } from "../../queries/user-edits.ts";
import { changeSetting } from "../../queries/settings.ts";
import { retryWork } from "../../queries/worker.ts";
import { AppError } from "../../core/error.ts";
import { CONCEPTS, OBSERVATION_TYPES } from "../../core/memory.ts";
import { described } from "./health.ts";
import { route } from "../route.ts";
import { count, listOf, textOrNull } from "../schemas/common.ts";
import { edited, observation, remembered, story } from "../schemas/observation.ts";

const words = {
  title: z.string().max(400).optional(),
  type: z.enum(OBSERVATION_TYPES).optional(),
  concepts: z.array(z.enum(CONCEPTS)).optional(),
  files: z.array(z.string().max(4_000)).max(100).optional(),
};

/** The command line names these by one of them. */
const flagsOf = <Body extends { concepts?: string[] | undefined; files?: string[] | undefined }>({
  concepts,
  files,
  ...rest
}: Body): Record<string, unknown> => ({ ...rest, concept: concepts, file: files });

export const REMEMBER = route({
  method: "post",
  path: "/api/observations",
  command: "remember",
  tag: "memory",
  about: "Writes something down for a project, or for all.",
  body: z.strictObject({
    text: z.string().min(1).max(100_000),
    ...words,
    project: z.string().optional(),
    all: z.boolean().optional(),
  }),
  reply: () => ({ data: remembered() }),
  run: ({ asked, body }) => answerRemember({ ...asked, flags: flagsOf(body) }, body.text),
});

export const EDIT = route({
  method: "patch",
  path: "/api/observations/:id",
  command: "edit",
  tag: "memory",
  about: "Rewords an observation; what is left out stays.",
  body: z.strictObject({
    text: z.string().max(100_000).optional(),
    subtitle: z.string().max(1_000).optional(),
    facts: z.array(z.string().max(10_000)).max(100).optional(),
    ...words,
  }),
  reply: () => ({ data: edited() }),
  run: ({ asked, params, body: { facts, ...body }, host }) => {
    const answer = answerEdit(asked, params["id"] ?? "", (before) => ({
      ...editByFlags(before, flagsOf(body)),
      ...(facts !== undefined && { facts }),
    }));
    host.live.tell("observation", { ...(answer.data as object), change: "edited" });
    return answer;
  },
});

const pinned = (method: "put" | "delete") =>
  route({
    method,
    path: "/api/observations/:id/pin",
    command: method === "put" ? "pin" : "unpin",
    tag: "memory",
    about: method === "put" ? "Keeps it in front, whatever is derived anew." : "Takes the pin off again.",
    reply: () => ({ data: listOf(observation()) }),
    run: ({ asked, params, host }) => {
      const answer = answerPin(asked, [params["id"] ?? ""], method === "put");
      host.live.tell("observation", { id: params["id"], change: "edited" });
      return answer;
    },
  });

export const PIN = pinned("put");
export const UNPIN = pinned("delete");

export const SUPERSEDE = route({
  method: "put",
  path: "/api/observations/:id/successor",
  command: "supersede",
  tag: "memory",
  about: "Another takes its place; it stays, dated and marked.",
  body: z.strictObject({ by: z.string().meta({ description: "the one that takes its place: o79" }) }),
  reply: () => ({ data: observation() }),
  run: ({ asked, params, body, host }) => {
    const answer = answerSupersede(asked, params["id"] ?? "", body.by);
    host.live.tell("observation", { ...(answer.data as object), change: "edited" });
    return answer;
  },
});

export const UNDO_SUPERSEDE = route({
  method: "delete",
  path: "/api/observations/:id/successor",
  command: "supersede",
  tag: "memory",
  about: "It holds again.",
  reply: () => ({ data: observation() }),
  run: ({ asked, params, host }) => {
    const answer = answerSupersede(asked, params["id"] ?? "", undefined);
    host.live.tell("observation", { ...(answer.data as object), change: "edited" });
    return answer;
  },
});

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

export const RETRY = route({
  method: "post",
  path: "/api/jobs/retry",
  command: "worker",
  tag: "health",
  about: "Tries again what failed: one job, or all.",
  body: z.strictObject({ key: z.string().optional() }),
  reply: () => ({ data: z.strictObject({ retried: count(), models: count() }) }),
  run: ({ asked, body, host }) => {
    const answer = retryWork(asked, body.key);
    host.onWork();
    return answer;
  },
});
