// Compares transcripts with the store to find messages and tool uses that the store lacks.
import type { CapturedEvent } from "../../core/event.ts";
import type { Db } from "../../store/db/driver.ts";
import { hasMessage } from "../../store/tables/messages.ts";
import { isPurged } from "../../store/tables/purge.ts";
import { hasForgottenParts } from "../../store/tables/tombstones.ts";
import { hasToolUse } from "../../store/tables/tool-uses.ts";
import { isForkDuplicate, withoutForgotten } from "../live/skip-event.ts";
import { isExcludedFile, readTranscript, type Transcript } from "./read-transcript.ts";
import { isUnchanged, type SyncContext } from "./sync.ts";

export function compareTranscripts(db: Db, transcripts: readonly Transcript[], context: SyncContext, maxMs: number) {
  const deadline = Date.now() + maxMs;
  const result = {
    compared: 0,
    /** Transcripts that changed since the last sync; they were not compared. */
    unread: 0,
    /** Transcripts not compared because `maxMs` had passed. */
    skipped: 0,
    /** Missing messages and tool uses. */
    missing: 0,
    /** Paths of transcripts with a message or tool use missing from the store. */
    files: [] as string[],
  };
  for (const transcript of transcripts) {
    const { file } = transcript;
    if (isExcludedFile(file, context)) continue;
    if (!isUnchanged(file, context)) result.unread += 1;
    else if (Date.now() > deadline) result.skipped += 1;
    else {
      const missing = countMissing(db, transcript, context);
      result.compared += 1;
      result.missing += missing;
      if (missing > 0) result.files.push(file.path);
    }
  }
  return result;
}

function countMissing(db: Db, transcript: Transcript, context: SyncContext): number {
  const isForgotten = hasForgottenParts(db, transcript.file.sessionId);
  const request = { transcript, known: undefined, isOtherProject: false, isForgotten };
  let missing = 0;
  for (const step of readTranscript(request, { ...context, force: true })) {
    if ("piece" in step) missing += step.piece.events.filter((event) => isMissing(db, event)).length;
  }
  return missing;
}

function isMissing(db: Db, captured: CapturedEvent): boolean {
  const event = withoutForgotten(db, captured);
  if (event === undefined || isForkDuplicate(db, event) || isPurged(db, event.sessionId, event.at)) return false;
  const { activity } = event;
  const session = event.agentId === undefined ? event.sessionId : `agent-${event.agentId}`;
  if (activity.kind === "message") return !hasMessage(db, session, activity.uuid);
  if (activity.kind !== "tool-use" || activity.toolUseId === undefined) return false;
  return !hasToolUse(db, session, activity.toolUseId);
}
