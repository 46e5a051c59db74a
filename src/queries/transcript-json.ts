// The items of a session as JSON, for a page of items and for a whole transcript, with their schemas.
import type * as z from "zod";
import type { MessageItem, SessionItem, ToolItem } from "../recall/history/session-items.ts";
import type { Item, Transcript } from "../recall/history/transcript.ts";
import { iso } from "../core/time.ts";
import type { Zod } from "./query.ts";
import {
  COMMIT,
  commitOf,
  jsonOf,
  defineNames,
  schemaOf,
  textOrNull,
  timeOf,
  timeOrNull,
  turnStatusOf,
} from "./schemas.ts";
import {
  sessionJson,
  sessionSchema,
  summariesJson,
  summariesSchema,
  summaryJson,
  summarySchema,
} from "./session-json.ts";

const FILE = defineNames({ text: ["path"], countOrNull: ["added", "removed"] });
const TOOL = defineNames({
  text: ["id", "name", "subject", "outcome"],
  time: ["at"],
  flag: ["is_error"],
  intOrNull: ["exit_code"],
  countOrNull: ["duration_ms"],
});

/** `added`: keys that every item has besides its own, e.g. its position. */
export const sessionItemSchema = <Added extends z.ZodRawShape>(zod: Zod, added: Added) => {
  const prompt = zod.strictObject({
    kind: zod.literal("prompt"),
    ...schemaOf(zod, { text: ["id", "text"], time: ["at"] }),
  });
  const message = zod.strictObject({
    kind: zod.literal("message"),
    ...schemaOf(zod, { text: ["text"], textOrNull: ["id", "thinking"], time: ["at"] }),
    role: zod.enum(["assistant", "system", "summary"]),
  });
  const file = { ...schemaOf(zod, FILE), kind: zod.enum(["read", "edit", "create"]) };
  const tool = zod.strictObject({
    kind: zod.literal("tool"),
    ...schemaOf(zod, TOOL),
    files: zod.array(zod.strictObject(file)),
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
    ...schemaOf(zod, { text: ["sha", "subject"], time: ["at"] }),
  });
  return zod.discriminatedUnion("kind", [
    prompt.extend(added),
    message.extend(added),
    tool.extend(added),
    subagent.extend(added),
    commit.extend(added),
  ]);
};

export interface DetailOptions {
  /** Include the input and output of tools. */
  tools: boolean;
  thinking: boolean;
}

export function sessionItemJson(item: SessionItem, { tools }: Pick<DetailOptions, "tools">) {
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
    ...jsonOf(TOOL, {
      ...item,
      is_error: item.isError,
      exit_code: item.exitCode ?? null,
      duration_ms: item.durationMs ?? null,
    }),
    files: item.files.map((file) => ({ ...jsonOf(FILE, file), kind: file.kind })),
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
    summaries: summariesSchema(zod),
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

export function transcriptJson(transcript: Transcript, detail: DetailOptions) {
  return {
    ...sessionJson(transcript.session),
    summary: summaryJson(transcript.summary),
    summaries: summariesJson(transcript.summaries),
    turns: transcript.turns.map((turn) => ({
      number: turn.number,
      at: iso(turn.at),
      ended_at: iso(turn.endedAt),
      status: turn.state ?? null,
      prompt: turn.prompt ?? null,
      items: turn.items.map((item) => itemJson(item, detail)),
      commits: turn.commits.map((commit) => jsonOf(COMMIT, commit)),
      summary: summaryJson(turn.summary),
    })),
  };
}

function itemJson(item: Item, detail: DetailOptions): { kind: Item["kind"]; [key: string]: unknown } {
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
