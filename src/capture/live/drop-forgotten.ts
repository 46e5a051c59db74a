// What was forgotten does not come back: not from a transcript that is read again, not from a hook that was late.
import type { CapturedEvent } from "../../core/event.ts";
import type { Db } from "../../store/db/driver.ts";
import { findPromptNumber } from "../../store/tables/prompts.ts";
import { findSession, originsOf } from "../../store/tables/sessions.ts";
import { isForgottenPrompt, isForgottenSession, hasForgottenParts } from "../../store/tables/tombstone-checks.ts";
import { hasTombstone, tombstoneOf } from "../../store/tables/tombstones.ts";

/** The event without what was forgotten of it, or undefined if nothing is left. */
export function withoutForgotten(db: Db, event: CapturedEvent): CapturedEvent | undefined {
  if (isForgottenSession(db, event.sessionId)) return undefined;
  if (event.agentId !== undefined && isForgottenSession(db, `agent-${event.agentId}`)) return undefined;
  if (isCopyOfForgotten(db, event)) return undefined;
  return hasForgottenParts(db, event.sessionId) ? filterPart(db, event) : event;
}

/** From before a fork began, under ids of its own: by which nobody knows what was forgotten in the session it was made from. */
function isCopyOfForgotten(db: Db, { sessionId, at }: CapturedEvent): boolean {
  const session = findSession(db, sessionId);
  if (session === undefined || at >= session.started_at) return false;
  return originsOf(db, sessionId).some((id) => id !== sessionId && hasForgottenParts(db, id));
}

function filterPart(db: Db, event: CapturedEvent): CapturedEvent | undefined {
  const { sessionId, activity, at } = event;
  const isGone = (kind: "message" | "tool-use" | "text", key: string): boolean =>
    hasTombstone(db, tombstoneOf(kind, sessionId, key));
  switch (activity.kind) {
    case "prompt":
      return isForgottenPrompt(db, sessionId, activity, at) ? undefined : event;
    case "tool-use":
      if (activity.toolUseId !== undefined && isGone("tool-use", activity.toolUseId)) return undefined;
      return ofForgottenTurn(db, sessionId, activity.promptId) ? undefined : event;
    case "message":
      if (isGone("message", activity.uuid) || ofForgottenTurn(db, sessionId, activity.promptId)) return undefined;
      return event;
    // Which file went with what was forgotten, it does not say.
    case "file-snapshot":
      return undefined;
    case "compaction":
      return isGone("message", activity.uuid) ? undefined : event;
    case "title":
      return isGone("text", activity.title) ? undefined : event;
    case "turn-end": {
      if (ofForgottenTurn(db, sessionId, activity.promptId)) return undefined;
      const { response, ...rest } = activity;
      return response !== undefined && isGone("text", response) ? { ...event, activity: rest } : event;
    }
    case "response":
      if (ofForgottenTurn(db, sessionId, activity.promptId) || isGone("text", activity.text)) return undefined;
      return event;
    case "checkpoint":
      return ofForgottenTurn(db, sessionId, activity.promptId) ? undefined : event;
    default:
      return event;
  }
}

function ofForgottenTurn(db: Db, sessionId: string, promptId: string | undefined): boolean {
  if (promptId === undefined || !hasTombstone(db, tombstoneOf("prompt", sessionId, promptId))) return false;
  const session = findSession(db, sessionId);
  return session === undefined || findPromptNumber(db, session.id, promptId) === undefined;
}
