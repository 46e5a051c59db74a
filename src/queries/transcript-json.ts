// The items of a session as JSON, on a page of their own and inside a whole transcript, and the schemas.
import type * as z from "zod";
import type { MessageItem, SessionItem, ToolItem } from "../recall/history/session-items.ts";
import type { Item, Transcript } from "../recall/history/transcript.ts";
import { iso } from "../core/time.ts";
import type { Zod } from "./query.ts";
import { commitOf, countOf, textOrNull, timeOf, timeOrNull, turnStatusOf } from "./schemas.ts";
import { sessionJson, sessionSchema, summaryJson, summarySchema } from "./session-json.ts";

/** `place`: the further keys of each item. */
export const sessionItemSchema = <Place extends z.ZodRawShape>(zod: Zod, place: Place) => {
  const file = zod.strictObject({
    path: zod.string(),
    kind: zod.enum(["read", "edit", "create"]),
    added: countOf(zod).nullable(),
    removed: countOf(zod).nullable(),
  });
  const prompt = zod.strictObject({
    kind: zod.literal("prompt"),
    id: zod.string(),
    at: timeOf(zod),
    text: zod.string(),
  });
  const message = zod.strictObject({
    kind: zod.literal("message"),
    id: textOrNull(zod),
    at: timeOf(zod),
    role: zod.enum(["assistant", "system", "summary"]),
    text: zod.string(),
    thinking: textOrNull(zod),
  });
  const tool = zod.strictObject({
    kind: zod.literal("tool"),
    id: zod.string(),
    at: timeOf(zod),
    name: zod.string(),
    subject: zod.string(),
    outcome: zod.string(),
    is_error: zod.boolean(),
    exit_code: zod.int().nullable(),
    duration_ms: countOf(zod).nullable(),
    files: zod.array(file),
    input: zod.unknown().optional(),
    output: zod.string().optional(),
  });
  const subagent = sessionSchema(zod).extend({
    kind: zod.literal("subagent"),
    at: timeOf(zod),
    report: textOrNull(zod),
  });
  const commit = zod.strictObject({
    kind: zod.literal("commit"),
    at: timeOf(zod),
    sha: zod.string(),
    subject: zod.string(),
  });
  return zod.discriminatedUnion("kind", [
    prompt.extend(place),
    message.extend(place),
    tool.extend(place),
    subagent.extend(place),
    commit.extend(place),
  ]);
};

export interface Detail {
  /** The input and output of tools. */
  tools: boolean;
  thinking: boolean;
}

export function sessionItemJson(item: SessionItem, { tools }: Pick<Detail, "tools">) {
  switch (item.kind) {
    case "prompt":
    case "commit":
      return { ...item, at: iso(item.at) };
    case "subagent":
      return { kind: item.kind, at: iso(item.at), ...sessionJson(item.session), report: item.session.report };
    case "message":
      return { ...messageJson(item), thinking: item.thinking ?? null };
    case "tool":
      return toolJson(item, tools);
  }
}

function messageJson({ kind, id, role, at, text }: MessageItem) {
  return { kind, id: id ?? null, role, at: iso(at), text };
}

function toolJson(item: ToolItem, withBody: boolean) {
  return {
    kind: item.kind,
    id: item.id,
    name: item.name,
    at: iso(item.at),
    subject: item.subject,
    outcome: item.outcome,
    is_error: item.isError,
    exit_code: item.exitCode ?? null,
    duration_ms: item.durationMs ?? null,
    files: item.files.map(({ path, kind, added, removed }) => ({ path, kind, added, removed })),
    ...(withBody && { input: parsed(item.input), output: item.output }),
  };
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}

export const transcriptSchema = (zod: Zod) =>
  sessionSchema(zod).extend({
    summary: summarySchema(zod).nullable(),
    turns: zod.array(
      zod.strictObject({
        number: zod.int(),
        at: timeOf(zod),
        ended_at: timeOrNull(zod),
        status: turnStatusOf(zod).nullable(),
        prompt: zod.strictObject({ id: zod.string(), text: zod.string() }).nullable(),
        items: zod.array(zod.looseObject({ kind: zod.enum(["message", "tool", "subagent"]) })),
        commits: zod.array(commitOf(zod)),
        summary: summarySchema(zod).nullable(),
      }),
    ),
  });

export function transcriptJson(transcript: Transcript, detail: Detail) {
  return {
    ...sessionJson(transcript.session),
    summary: summaryJson(transcript.summary),
    turns: transcript.turns.map((turn) => ({
      number: turn.number,
      at: iso(turn.at),
      ended_at: iso(turn.endedAt),
      status: turn.state ?? null,
      prompt: turn.prompt ?? null,
      items: turn.items.map((item) => itemJson(item, detail)),
      commits: turn.commits.map(({ sha, subject }) => ({ sha, subject })),
      summary: summaryJson(turn.summary),
    })),
  };
}

function itemJson(item: Item, detail: Detail): { kind: Item["kind"]; [key: string]: unknown } {
  switch (item.kind) {
    case "message":
      return { ...messageJson(item), ...(detail.thinking && { thinking: item.thinking ?? null }) };
    case "tool":
      return toolJson(item, detail.tools);
    case "subagent": {
      const { kind, at, session } = item;
      const items = item.items.map((inner) => itemJson(inner, detail));
      return { kind, at: iso(at), ...sessionJson(session), report: session.report, items };
    }
  }
}
