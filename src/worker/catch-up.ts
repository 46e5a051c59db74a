// What no hook has told of: at its start the worker reads on in every transcript that has changed since.
import { claudeConfigDir } from "../agents/claude-code/discover.ts";
import { findTranscripts } from "../capture/sync/find-transcripts.ts";
import type { Transcript } from "../capture/sync/read-transcript.ts";
import { isUnchanged, startSync, type SyncContext, syncTranscripts } from "../capture/sync/sync.ts";
import { readInstall } from "../platform/state/install-record.ts";
import { loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import type { Db } from "../store/db/driver.ts";
import type { Log } from "./log.ts";

/** Yields after every piece that is committed how many transcripts are left; between two pieces the worker does what is more urgent. */
export function* catchUp(db: Db, paths: Paths, env: Env, log: Log): Generator<number, void> {
  const context = startSync(db, paths, env);
  const pending = wanted(paths, env, context);
  let files = 0;
  let left = pending.length;
  for (const { outcome, failed } of syncTranscripts(db, pending, context)) {
    if (outcome !== undefined) files += 1;
    // One broken file does not stop the others.
    if (failed !== undefined) log(`cannot read ${failed.path}: ${failed.message}`);
    if (outcome !== undefined || failed !== undefined) left -= 1;
    yield left;
  }
  if (files > 0) log(`caught up on ${files} of ${pending.length} transcripts`);
}

function wanted(paths: Paths, env: Env, context: SyncContext): Transcript[] {
  const settings = loadSettings({ user: paths.config }, env).values;
  const maxBytes = settings.maxTranscriptMb * 1024 * 1024;
  const record = readInstall(paths.install);
  // Who asked not to have the sessions from before is not given them later, behind their back.
  const since = record?.historySince ?? 0;
  const known = new Map<string, Transcript>();
  for (const transcript of findAll(env, settings, Object.keys(record?.sites ?? {})))
    known.set(transcript.file.path, transcript);
  return [...known.values()].filter(
    ({ file }) =>
      file.bytes <= maxBytes &&
      !isUnchanged(file, context) &&
      (file.modifiedAt >= since || context.marks.has(file.path)),
  );
}

/** Claude Code may have several folders on one machine: this environment's, and those C-Mem was installed in. */
function findAll(env: Env, settings: Settings, sites: readonly string[]): Transcript[] {
  const others = sites.filter((site) => site !== claudeConfigDir(env));
  return [
    ...findTranscripts(env, settings),
    ...others.flatMap((site) =>
      findTranscripts({ ...env, CLAUDE_CONFIG_DIR: site }, { sessionFolders: {} }, { agent: "claude-code" }),
    ),
  ];
}
