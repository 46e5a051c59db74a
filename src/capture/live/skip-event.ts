// Which events are not stored: those that were forgotten, and those that a fork copied from a stored session.
import type { CapturedEvent } from "../../core/event.ts";
import type { Db } from "../../store/db/driver.ts";
import { findPromptNumber } from "../../store/tables/prompts.ts";
import { isPurged } from "../../store/tables/purge.ts";
import { findSession, forkSource, withForkSources } from "../../store/tables/sessions.ts";
import {
  hasForgottenParts,
  hasTombstone,
  isForgottenPrompt,
  isForgottenSession,
  tombstoneOf,
} from "../../store/tables/tombstones.ts";

/** True for an event that the original session has, even if that session's transcript no longer exists. */
export function isForkDuplicate(db: Db, { copiedFrom: reported, sessionId, at }: CapturedEvent): boolean {
  // "": the agent does not say from which session, but the store noted it when it read the fork for the first time.
  const copiedFrom = reported === "" ? forkSource(db, sessionId) : reported;
  if (copiedFrom === undefined || copiedFrom === sessionId) return false;
  if (hasForgottenParts(db, copiedFrom) || isPurged(db, copiedFrom, at)) return true;
  const original = findSession(db, copiedFrom);
  // Events before the original's first one are only in the copy.
  return original !== undefined && original.prompt_count > 0 && at >= original.started_at;
}

const PARTS_OF_A_TURN = new Set(["tool-use", "message", "turn-end", "response", "checkpoint"]);

/** The event without forgotten text, or undefined if all of it was forgotten. */
export function withoutForgotten(db: Db, event: CapturedEvent): CapturedEvent | undefined {
  const { sessionId, agentId, activity, at } = event;
  if (isForgottenSession(db, sessionId)) return undefined;
  if (agentId !== undefined && isForgottenSession(db, `agent-${agentId}`)) return undefined;
  if (isCopyOfForgotten(db, event)) return undefined;
  if (!hasForgottenParts(db, sessionId)) return event;
  const has = (kind: "message" | "tool-use" | "text", key: string): boolean =>
    hasTombstone(db, tombstoneOf(kind, sessionId, key));
  if (
    "promptId" in activity &&
    PARTS_OF_A_TURN.has(activity.kind) &&
    isOfForgottenTurn(db, sessionId, activity.promptId)
  )
    return undefined;
  switch (activity.kind) {
    case "prompt":
      return isForgottenPrompt(db, sessionId, activity, at) ? undefined : event;
    case "tool-use":
      return activity.toolUseId !== undefined && has("tool-use", activity.toolUseId) ? undefined : event;
    case "message":
    case "compaction":
      return has("message", activity.uuid) ? undefined : event;
    // Its files may be of a forgotten tool use: it does not say of which.
    case "file-snapshot":
      return undefined;
    case "title":
      return has("text", activity.title) ? undefined : event;
    case "turn-end": {
      const { response, ...rest } = activity;
      return response !== undefined && has("text", response) ? { ...event, activity: rest } : event;
    }
    case "response":
      return has("text", activity.text) ? undefined : event;
    default:
      return event;
  }
}

/** The part of a fork before its own start has new ids, so tombstones of the original cannot match it. */
function isCopyOfForgotten(db: Db, { sessionId, at }: CapturedEvent): boolean {
  const session = findSession(db, sessionId);
  if (session === undefined || at >= session.started_at) return false;
  return withForkSources(db, sessionId).some((id) => id !== sessionId && hasForgottenParts(db, id));
}

function isOfForgottenTurn(db: Db, sessionId: string, promptId: string | undefined): boolean {
  if (promptId === undefined || !hasTombstone(db, tombstoneOf("prompt", sessionId, promptId))) return false;
  const session = findSession(db, sessionId);
  return session === undefined || findPromptNumber(db, session.id, promptId) === undefined;
}
