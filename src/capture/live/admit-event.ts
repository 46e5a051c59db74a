// Every live event passes here before it is written: excluded folders, private turns, redaction.
import { dirname, join } from "node:path";
import type { Paths } from "../../config/paths.ts";
import type { AgentEvent, CapturedEvent } from "../../core/event.ts";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import type { CaptureContext } from "../capture-context.ts";
import { covers } from "../covers.ts";
import { admitIds } from "./ids.ts";
import { beginPrivateTurn, endPrivateTurn, isPrivateTurn } from "./private-turn.ts";
import { redactEvent } from "./redact-event.ts";

/** Why an event is not recorded. */
export type Withheld = "excluded" | "private" | "nothing";

export function admitEvent(
  reported: AgentEvent,
  context: CaptureContext,
  { privateTurns }: Pick<Paths, "privateTurns">,
): CapturedEvent | Withheld {
  // First, because the marker of a private turn is named after the session id.
  const event = admitIds(reported);
  if (context.isExcluded || isTranscriptExcluded(event, context.settings.excludePaths)) return "excluded";
  if (trackPrivateTurn(privateTurns, event)) return "private";
  return redactEvent(event, context) ?? "nothing";
}

/** A session whose transcript is not read is not recorded live either. */
function isTranscriptExcluded(
  { transcriptPath, sessionId, agentId }: AgentEvent,
  patterns: readonly string[],
): boolean {
  if (transcriptPath === undefined || patterns.length === 0) return false;
  // A subagent's events name its session's transcript; its own is in a folder beside that.
  const own = agentId && join(dirname(transcriptPath), sessionId, "subagents", `agent-${agentId}.jsonl`);
  return patterns.some((pattern) => covers(pattern, transcriptPath) || (own && covers(pattern, own)));
}

/** Updates the session's marker; true for an event of a private turn. */
function trackPrivateTurn(folder: string, event: AgentEvent): boolean {
  const { activity, sessionId } = event;
  if (activity.kind === "session-start" || activity.kind === "session-end") return false;
  if (activity.kind !== "prompt") return isPrivateTurn(folder, event);
  const isPrivate = isWhollyPrivate(activity.text);
  if (isPrivate) beginPrivateTurn(folder, sessionId, activity.promptId);
  else endPrivateTurn(folder, sessionId);
  return isPrivate;
}
