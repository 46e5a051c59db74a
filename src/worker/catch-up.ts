// What no hook has told of: at its start the worker reads on in every transcript that has changed since.
import { claudeConfigDir } from "../agents/claude-code/config-dir.ts";
import { AGENTS } from "../agents/spec.ts";
import type { Transcript } from "../capture/read-transcript.ts";
import { isUnchanged, startSync, type SyncContext, syncTranscripts } from "../capture/sync.ts";
import { readInstall } from "../config/install-record.ts";
import { loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { Db } from "../store/driver.ts";
import type { Log } from "./log.ts";

/** Yields after every piece that is committed; between two pieces the worker does what is more urgent. */
export function* catchUp(db: Db, paths: Paths, env: Env, log: Log): Generator<void, void> {
  const context = startSync(db, paths, env);
  const pending = wanted(paths, env, context);
  let files = 0;
  for (const { outcome, failed } of syncTranscripts(db, pending, context)) {
    if (outcome !== undefined) files += 1;
    // One broken file does not stop the others.
    if (failed !== undefined) log(`cannot read ${failed.path}: ${failed.message}`);
    yield;
  }
  if (files > 0) log(`caught up on ${files} of ${pending.length} transcripts`);
}

function wanted(paths: Paths, env: Env, context: SyncContext): Transcript[] {
  const maxBytes = loadSettings({ user: paths.config }, env).values.maxTranscriptMb * 1024 * 1024;
  const record = readInstall(paths.install);
  // Who asked not to have the sessions from before is not given them later, behind their back.
  const since = record?.historySince ?? 0;
  const known = new Map<string, Transcript>();
  for (const transcript of findAll(env, Object.keys(record?.sites ?? {}))) known.set(transcript.file.path, transcript);
  return [...known.values()].filter(
    ({ file }) =>
      file.bytes <= maxBytes &&
      !isUnchanged(file, context) &&
      (file.modifiedAt >= since || context.marks.has(file.path)),
  );
}

/** An agent may have several folders on one machine: this environment's, and those C-Mem was installed in. */
function findAll(env: Env, sites: readonly string[]): Transcript[] {
  const environments = [
    env,
    ...sites.filter((site) => site !== claudeConfigDir(env)).map((site) => elsewhere(env, site)),
  ];
  return AGENTS.flatMap(({ id, sources }) =>
    (id === "claude-code" ? environments : [env]).flatMap((each) =>
      sources.flatMap(({ find, reader }) => find(each).map((file) => ({ file, reader }))),
    ),
  );
}

function elsewhere(env: Env, site: string): Env {
  return { ...env, CLAUDE_CONFIG_DIR: site };
}
