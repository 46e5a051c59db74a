// Restores sessions from the archive. Copies are read by the same readers as transcripts.
import { existsSync } from "node:fs";
import { AGENTS } from "../../agents/spec.ts";
import { turnOf } from "../../agents/turn.ts";
import type { AgentEvent } from "../../core/event.ts";
import { parseJson } from "../../core/json.ts";
import type { Db } from "../../store/db/driver.ts";
import { transaction } from "../../store/db/transaction.ts";
import { saveSyncState } from "../../store/tables/sync-state.ts";
import { type Copy, listCopies, readCopyText } from "./archive-copies.ts";
import { addPrivateIds, UNFINISHED } from "./checkpoint.ts";
import { isExcludedFile, redactEvents } from "./read-transcript.ts";
import { storeEvents, type SyncContext } from "./sync.ts";

/** Copies whose transcript was deleted before it was read to its end; with `force`, all with a deleted transcript. */
export function copiesToRestore(context: SyncContext): Copy[] {
  return listCopies(context.archive).filter(
    ({ file }) =>
      !isExcludedFile(file, context) &&
      (context.force || (context.marks.get(file.path)?.size ?? UNFINISHED) === UNFINISHED) &&
      !existsSync(file.path),
  );
}

/** Events per transaction. */
const BATCH = 2_000;

/** Returns the number of events that were stored, now or before. */
export function restoreCopy(db: Db, copy: Copy, context: SyncContext): number {
  const events = redactEvents(readEvents(copy, context), copy.file, context);
  for (let start = 0; start < events.length; start += BATCH) {
    transaction(db, () => storeEvents(db, events.slice(start, start + BATCH)));
  }
  if (events.length === 0) return 0;
  // Mark the file as read to its end. If the transcript reappears, it is read from its beginning.
  const { path, agent, sessionId: session_id, bytes: size } = copy.file;
  const state = JSON.stringify({ version: 0, state: null });
  const mark = { path, agent, session_id, byte_offset: 0, line: 0, size, mtime: 0, fingerprint: "", state };
  transaction(db, () => saveSyncState(db, mark, 0, Date.now()));
  return events.length;
}

function readEvents(copy: Copy, context: SyncContext): AgentEvent[] {
  const { file } = copy;
  const sources = AGENTS.find(({ id }) => id === file.agent)?.sources ?? [];
  const reader = sources.find((source) => source.reader.kind === copy.kind)?.reader;
  const text = readCopyText(context.archive, copy);
  const notes = { unknown: {} };
  if (reader === undefined) return [];
  if (reader.kind === "document") return reader.read(file, notes, text.toString("utf8"));
  const state = reader.start(file);
  addPrivateIds(state, context.privateIds);
  const turn = turnOf(state);
  if (turn !== undefined && copy.agentType !== undefined) turn.header.agentType = copy.agentType;
  const events: AgentEvent[] = [];
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start);
    const line = text.subarray(start, end < 0 ? text.length : end);
    events.push(...reader.read(state, parseJson(line.toString()), notes));
    start += line.length + 1;
  }
  return [...events, ...reader.flush(state)];
}
