// Every live event passes here on its way to disk, whoever brings it: excluded folders, private turns, the filter.
import type { Paths } from "../config/paths.ts";
import type { AgentEvent, CapturedEvent } from "../core/event.ts";
import { isWhollyPrivate } from "../core/private-tags.ts";
import { captureEvent } from "./capture.ts";
import { beginPrivateTurn, endPrivateTurn, isPrivateTurn } from "./private-turn.ts";
import type { Surroundings } from "./surroundings.ts";

/** Why nothing of an event is kept. */
export type Withheld = "excluded" | "private" | "nothing";

export function prepareEvent(
  event: AgentEvent,
  surroundings: Surroundings,
  paths: Pick<Paths, "privateTurns">,
): CapturedEvent | Withheld {
  if (surroundings.isExcluded) return "excluded";
  if (trackPrivateTurn(paths.privateTurns, event)) return "private";
  return captureEvent(event, surroundings) ?? "nothing";
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
