// A transcript for a program to read: what `show --json` and `export --format json` print.
import type { Item, Transcript } from "../recall/history/transcript.ts";
import { iso } from "../core/time.ts";
import type { Json } from "./envelope.ts";
import { sessionJson, summaryJson } from "./session-json.ts";

export interface Detail {
  /** What went into the tools and what came out. */
  tools: boolean;
  thinking: boolean;
}

export function transcriptJson(transcript: Transcript, detail: Detail): Json {
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

export function itemJson(item: Item, detail: Detail): Json {
  switch (item.kind) {
    case "message":
      return {
        kind: item.kind,
        id: item.id ?? null,
        role: item.role,
        at: iso(item.at),
        text: item.text,
        ...(detail.thinking && { thinking: item.thinking ?? null }),
      };
    case "tool":
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
        ...(detail.tools && { input: parsed(item.input), output: item.output }),
      };
    case "subagent":
      return {
        kind: item.kind,
        at: iso(item.at),
        ...sessionJson(item.session),
        report: item.session.report,
        items: item.items.map((inner) => itemJson(inner, detail)),
      };
  }
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}
