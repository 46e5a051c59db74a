// A session's job: what its transcript adds to what the hooks saw, then memory from all that is new.
import { AGENTS } from "../agents/spec.ts";
import { admitFile } from "../capture/live/ids.ts";
import type { Transcript } from "../capture/sync/read-transcript.ts";
import { isUnchanged, startSync, syncTranscripts } from "../capture/sync/sync.ts";
import type { Env, Paths } from "../config/paths.ts";
import { type Derived, deriveSession } from "../memory/derive.ts";
import type { Db } from "../store/db/driver.ts";
import { enqueueEnrich } from "../store/tables/jobs.ts";
import { updateSearchIndex } from "../store/fts/search-index.ts";
import { sessionSource, type SessionSource } from "../store/tables/sessions.ts";

/** Links are made when there is nothing else to do. Yields between pieces of a long transcript. `enrich`: a model is asked about what is new. */
export function* runSessionJob(
  db: Db,
  sessionId: string,
  { paths, env, now, enrich }: { paths: Paths; env: Env; now: number; enrich: boolean },
): Generator<void, Derived> {
  const source = sessionSource(db, sessionId);
  if (source === undefined) return { turns: 0, changed: [] };
  const problem = yield* reconcile(db, sessionId, source, paths, env);
  const outcome = deriveSession(db, source.id, now, ({ id, isChanged }) => {
    if (enrich) enqueueEnrich(db, id, { isChanged, now });
  });
  updateSearchIndex(db);
  // Only now: what the hooks saw is worth remembering even where the transcript cannot be read.
  if (problem !== undefined) throw problem;
  return outcome;
}

function* reconcile(
  db: Db,
  sessionId: string,
  source: SessionSource,
  paths: Paths,
  env: Env,
): Generator<void, Error | undefined> {
  const files = transcriptsOf(source);
  if (files.length === 0) return undefined;
  // Not asked for again by its own reading.
  const context = startSync(db, paths, env, { enqueue: false, sessionId });
  const pending = files.filter(({ file }) => !isUnchanged(file, context));
  let problem: Error | undefined;
  for (const { failed } of syncTranscripts(db, pending, context)) {
    if (failed !== undefined) problem = new Error(`${failed.path}: ${failed.message}`);
    yield;
  }
  return problem;
}

function transcriptsOf({ agent, transcript_path: path }: SessionSource): Transcript[] {
  if (path === null) return [];
  const sources = AGENTS.find(({ id }) => id === agent)?.sources ?? [];
  return sources.flatMap(({ ofSession, reader }) =>
    (ofSession?.(path) ?? []).map((file) => ({ file: admitFile(file), reader })),
  );
}
