// Decides which events are not stored: forgotten ones, and those that a fork copied from a stored session.
import type { CapturedEvent } from "../../core/event.ts";
import type { Db } from "../../store/db/driver.ts";
import { findPromptNumber } from "../../store/tables/prompts.ts";
import { isPurged } from "../../store/tables/purge.ts";
import { findSession, forkSource, withForkSources } from "../../store/tables/sessions.ts";
import {
  hasForgottenParts,
  hasTombstone,
  isForgottenCopy,
  isForgottenPrompt,
  isForgottenSession,
  tombstoneOf,
} from "../../store/tables/tombstones.ts";

/** True if the session that the event was copied from is stored and has (or had) it. */
export function isForkDuplicate(db: Db, { copiedFrom: reported, sessionId, at }: CapturedEvent): boolean {
  // "": the transcript does not name the original session, but the store noted it at the first read of the fork.
  const copiedFrom = reported === "" ? forkSource(db, sessionId) : reported;
  if (copiedFrom === undefined || copiedFrom === sessionId) return false;
  if (hasForgottenParts(db, copiedFrom) || isPurged(db, copiedFrom, at)) return true;
  const original = findSession(db, copiedFrom);
  // The original's stored part may begin later: earlier events are stored with the fork.
  return original !== undefined && original.prompt_count > 0 && at >= original.started_at;
}

const PARTS_OF_A_TURN = new Set(["tool-use", "message", "turn-end", "response", "checkpoint"]);

/** Returns the event without forgotten text, or undefined if all of it was forgotten. */
export function withoutForgotten(db: Db, event: CapturedEvent): CapturedEvent | undefined {
  const { sessionId, agentId, activity, at } = event;
  if (isForgottenSession(db, sessionId)) return undefined;
  if (agentId !== undefined && isForgottenSession(db, `agent-${agentId}`)) return undefined;
  if (isCopyOfForgotten(db, event) || isRepeatOfForgotten(db, event)) return undefined;
  if (!hasForgottenParts(db, sessionId)) return event;
  const has = (kind: "message" | "tool-use" | "text", key: string): boolean =>
    hasTombstone(db, tombstoneOf(kind, sessionId, key));
  if (
    "promptId" in activity &&
    PARTS_OF_A_TURN.has(activity.kind) &&
    isInForgottenTurn(db, sessionId, activity.promptId)
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
    // A snapshot does not name its tool use, which may be a forgotten one.
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

/** The part that a fork copied has new ids, so the original's tombstones cannot match: the part is left out. */
function isCopyOfForgotten(db: Db, { sessionId, at }: CapturedEvent): boolean {
  const session = findSession(db, sessionId);
  if (session === undefined || at >= session.started_at) return false;
  return withForkSources(db, sessionId).some((id) => id !== sessionId && hasForgottenParts(db, id));
}

/** Some transcripts repeat another session's items, with their ids, under a new session id. */
function isRepeatOfForgotten(db: Db, { sessionId, activity }: CapturedEvent): boolean {
  switch (activity.kind) {
    case "prompt":
      // A command may have the id of the prompt before it, but has another text.
      return (
        isForgottenCopy(db, "prompt", activity.promptId) &&
        hasTombstone(db, tombstoneOf("text", activity.promptId ?? "", activity.text))
      );
    case "message":
    case "compaction":
      if (isForgottenCopy(db, "message", activity.uuid)) return true;
      break;
    case "tool-use":
      if (isForgottenCopy(db, "tool-use", activity.toolUseId)) return true;
      break;
  }
  if (!("promptId" in activity) || !PARTS_OF_A_TURN.has(activity.kind)) return false;
  return isForgottenCopy(db, "prompt", activity.promptId) && !hasPrompt(db, sessionId, activity.promptId);
}

function isInForgottenTurn(db: Db, sessionId: string, promptId: string | undefined): boolean {
  if (promptId === undefined || !hasTombstone(db, tombstoneOf("prompt", sessionId, promptId))) return false;
  return !hasPrompt(db, sessionId, promptId);
}

function hasPrompt(db: Db, sessionId: string, promptId: string | undefined): boolean {
  const session = findSession(db, sessionId);
  return session !== undefined && promptId !== undefined && findPromptNumber(db, session.id, promptId) !== undefined;
}
