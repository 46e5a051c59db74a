// Reads the transcripts that changed while no worker ran. Begins again whenever the worker opens the database.
import { claudeConfigDir } from "../agents/claude-code/discover.ts";
import { findTranscripts } from "../capture/sync/find-transcripts.ts";
import type { Transcript } from "../capture/sync/read-transcript.ts";
import { isUnchanged, startSync, type SyncContext, syncTranscripts } from "../capture/sync/sync.ts";
import { userSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import { readInstall } from "../platform/state/install-record.ts";
import type { Db } from "../store/db/driver.ts";
import type { Log } from "./log.ts";

/** Yields the number of unread transcripts between short steps, so that the worker can do more urgent work. */
export function* catchUp(db: Db, paths: Paths, env: Env, log: Log): Generator<number, void> {
  const context = startSync(db, paths, env);
  const pending = changedTranscripts(paths, env, context);
  let read = 0;
  let unread = pending.length;
  for (const { outcome, failed } of syncTranscripts(db, pending, context)) {
    if (outcome !== undefined) read += 1;
    if (failed !== undefined) log(`cannot read ${failed.path}: ${failed.message}`);
    if (outcome !== undefined || failed !== undefined) unread -= 1;
    yield unread;
  }
  if (read > 0) log(`caught up on ${read} of ${pending.length} transcripts`);
}

function changedTranscripts(paths: Paths, env: Env, context: SyncContext): Transcript[] {
  const settings = userSettings(paths, env);
  const record = readInstall(paths.install);
  // Claude Code may have several config folders: this environment's, and those C-Mem was installed in.
  const others = Object.keys(record?.sites ?? {}).filter((site) => site !== claudeConfigDir(env));
  const found = [
    ...findTranscripts(env, settings),
    ...others.flatMap((site) =>
      findTranscripts({ ...env, CLAUDE_CONFIG_DIR: site }, { sessionFolders: {} }, { agent: "claude-code" }),
    ),
  ];
  const maxBytes = settings.maxTranscriptMb * 1024 * 1024;
  // If the user declined to import older sessions, skip transcripts last written before the install, unless C-Mem has
  // read a part of them already.
  const since = record?.historySince ?? 0;
  return [...new Map(found.map((transcript) => [transcript.file.path, transcript])).values()].filter(
    ({ file }) =>
      file.bytes <= maxBytes &&
      !isUnchanged(file, context) &&
      (file.modifiedAt >= since || context.marks.has(file.path)),
  );
}
