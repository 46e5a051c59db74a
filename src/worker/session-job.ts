// Runs a session's job: reads what only its transcript contains, then derives memory of changed turns.
import { AGENTS } from "../agents/spec.ts";
import { admitFile } from "../capture/live/ids.ts";
import type { Transcript } from "../capture/sync/read-transcript.ts";
import { isUnchanged, startSync, syncTranscripts } from "../capture/sync/sync.ts";
import { isModelOff, userSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import { type Derived, deriveSession } from "../memory/derive.ts";
import type { Db } from "../store/db/driver.ts";
import { updateSearchIndex } from "../store/fts/search-index.ts";
import { deleteAllWaiting, enqueueModelJobs } from "../store/tables/model-turns.ts";
import { findSession, type SessionRow } from "../store/tables/sessions.ts";

/** Yields between pieces of a long transcript. */
export function* runSessionJob(
  db: Db,
  sessionId: string,
  { paths, env, now }: { paths: Paths; env: Env; now: number },
): Generator<void, Derived> {
  const session = findSession(db, sessionId);
  if (session === undefined) return { turns: 0, changed: [] };
  // enqueue: false, because reading the transcript would otherwise enqueue this job again.
  const context = startSync(db, paths, env, { enqueue: false, sessionId });
  const pending = transcriptsOf(session).filter(({ file }) => !isUnchanged(file, context));
  let problem: Error | undefined;
  for (const { failed } of syncTranscripts(db, pending, context)) {
    if (failed !== undefined) problem = new Error(`${failed.path}: ${failed.message}`);
    yield;
  }
  const derived = deriveSession(db, session.id, now);
  if (userSettings(paths, env).provider !== "none") enqueueModelJobs(db, session.id, now);
  else if (isModelOff(paths, env)) deleteAllWaiting(db);
  updateSearchIndex(db);
  // Thrown last: memory of the events that hooks recorded is derived even if the transcript cannot be read.
  if (problem !== undefined) throw problem;
  return derived;
}

function transcriptsOf({ agent, transcript_path: path }: SessionRow): Transcript[] {
  if (path === null) return [];
  const sources = AGENTS.find(({ id }) => id === agent)?.sources ?? [];
  return sources.flatMap(({ ofSession, reader }) =>
    (ofSession?.(path) ?? []).map((file) => ({ file: admitFile(file), reader })),
  );
}
