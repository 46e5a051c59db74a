// Every live event passes here on its way to disk, whoever brings it: excluded folders, private turns, the filter.
import { dirname, join } from "node:path";
import type { Paths } from "../../config/paths.ts";
import type { AgentEvent, CapturedEvent } from "../../core/event.ts";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import { redactEvent } from "./redact-event.ts";
import { covers } from "../covers.ts";
import { admitIds } from "./ids.ts";
import { beginPrivateTurn, endPrivateTurn, isPrivateTurn } from "./private-turn.ts";
import type { CaptureContext } from "../capture-context.ts";

/** Why nothing of an event is kept. */
export type Withheld = "excluded" | "private" | "nothing";

export function admitEvent(
  reported: AgentEvent,
  surroundings: CaptureContext,
  paths: Pick<Paths, "privateTurns">,
): CapturedEvent | Withheld {
  // Before anything is written by these ids, the marker of a private turn included.
  const event = admitIds(reported);
  if (surroundings.isExcluded || isTranscriptExcluded(event, surroundings.settings.excludePaths)) return "excluded";
  if (trackPrivateTurn(paths.privateTurns, event)) return "private";
  return redactEvent(event, surroundings) ?? "nothing";
}

/** What is not read from a transcript is not recorded live either. */
function isTranscriptExcluded(
  { transcriptPath, sessionId, agentId }: AgentEvent,
  patterns: readonly string[],
): boolean {
  if (transcriptPath === undefined || patterns.length === 0) return false;
  // A subagent's events name its session's transcript; its own is in a folder beside that.
  const own = agentId && join(dirname(transcriptPath), sessionId, "subagents", `agent-${agentId}.jsonl`);
  return patterns.some((pattern) => covers(pattern, transcriptPath) || (own && covers(pattern, own)));
}

/** Keeps the marker of private turns up to date; true when this event belongs to one. */
function trackPrivateTurn(folder: string, event: AgentEvent): boolean {
  const { activity, sessionId } = event;
  switch (activity.kind) {
    case "prompt":
      if (isWhollyPrivate(activity.text)) {
        beginPrivateTurn(folder, sessionId, activity.promptId);
        return true;
      }
      endPrivateTurn(folder, sessionId);
      return false;
    case "session-end":
    case "session-start":
      return false;
    default:
      return isPrivateTurn(folder, event);
  }
}
