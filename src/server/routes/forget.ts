// Forgets over HTTP: immediately, or after some seconds in which a request can cancel it.
import * as z from "zod";
import { planForget } from "../../queries/forget.ts";
import { route } from "../route.ts";
import { countOf, schemaOf } from "../../queries/schemas.ts";
import { MAX_HOLD_SECONDS } from "../undo-window.ts";

const idsByKind = () =>
  z.strictObject(schemaOf(z, { texts: ["sessions", "prompts", "messages", "tool_uses", "observations"] }));

const receipt = () =>
  z.strictObject({
    applied: z.literal(true),
    removed: z.record(z.string(), countOf(z)),
    backups: z.strictObject(schemaOf(z, { texts: ["cleaned", "removed"] })),
    items: idsByKind(),
    tombstones: z.array(z.strictObject(schemaOf(z, { text: ["kind", "hash"] }))),
    proof: z.strictObject(
      schemaOf(z, {
        flag: ["proven", "log_emptied"],
        count: ["search_hits", "search_alike", "pieces", "texts_too_short", "files_scanned", "bytes_scanned"],
        texts: ["found_in"],
      }),
    ),
    still_exists: z.strictObject(schemaOf(z, { texts: ["same_words_in", "transcripts"] })),
  });

const held = () =>
  z.strictObject({
    applied: z.literal(false),
    would_remove: idsByKind(),
    held: z.strictObject({ token: z.string(), seconds: countOf(z) }).optional(),
  });

const forget = route({
  method: "post",
  path: "/api/forget",
  command: "forget",
  tag: "memory",
  about: "Delete observations, sessions, prompts, messages or tool uses for good; or list what would be deleted.",
  body: z.strictObject({
    ids: z.array(z.string().min(1).max(400)).min(1).max(500),
    evidence: z.boolean().optional().meta({ description: "also delete an observation's evidence" }),
    dry_run: z.boolean().optional().meta({ description: "only list what would be deleted" }),
    hold_seconds: z
      .int()
      .min(0)
      .max(MAX_HOLD_SECONDS)
      .optional()
      .meta({ description: "wait this long; DELETE /api/forget/{token} cancels it meanwhile" }),
  }),
  reply: () => ({ data: z.union([receipt(), held()]) }),
  run: ({ context, body, host }) => {
    const { ids, evidence, dry_run: isDry, hold_seconds: seconds = 0 } = body;
    const plan = planForget(context, ids, { evidence: evidence === true });
    if (isDry === true) return { data: plan.data };
    if (seconds === 0) return host.undoWindow.carryOut({ ids, evidence });
    const token = host.undoWindow.hold({ ids, evidence }, seconds);
    return { data: { ...(plan.data as object), held: { token, seconds } } };
  },
});

const state = route({
  method: "get",
  path: "/api/forget/:token",
  command: "forget",
  tag: "memory",
  about: "The state of a delayed forget.",
  reply: () => ({
    data: z.strictObject({ state: z.enum(["held", "done", "failed"]), receipt: receipt().nullable() }),
  }),
  run: ({ params, host }) => host.undoWindow.stateOf(params["token"] ?? ""),
});

const cancel = route({
  method: "delete",
  path: "/api/forget/:token",
  command: "forget",
  tag: "memory",
  about: "Cancel a delayed forget. Once it has run, nothing can be restored.",
  reply: () => ({ data: z.strictObject({ cancelled: z.literal(true) }) }),
  errors: ["too_late"],
  run: ({ params, host }) => host.undoWindow.cancel(params["token"] ?? ""),
});

export const FORGET_ROUTES = [forget, state, cancel];
