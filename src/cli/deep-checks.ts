// The slow checks of `doctor --deep`: database pages, search index, transcripts.
import { compareTranscripts } from "../capture/sync/compare.ts";
import { findTranscripts } from "../capture/sync/find-transcripts.ts";
import { startSync, syncTranscripts } from "../capture/sync/sync.ts";
import { userSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import { diagnose, repairStore, repairText } from "../upkeep/backup/repair.ts";
import type { Db } from "../store/db/driver.ts";
import { countIndexGaps, rebuildSearchIndex, updateSearchIndex } from "../store/fts/search-index.ts";
import type { Check } from "../health/check.ts";
import { count } from "../core/text.ts";
import { withStore } from "./store.ts";
import { withoutWorker } from "./worker-control.ts";

/** Comparing the transcripts of years takes minutes; the report says how many were skipped. */
const COMPARE_MS = 60_000;

/** Also repairs a damaged database and rebuilds an outdated search index. */
export async function runDeepChecks(paths: Paths, env: Env): Promise<Check[]> {
  const problem = diagnose(paths.database);
  const first: Check =
    problem === undefined
      ? { name: "database, page by page", state: "ok", message: "intact" }
      : {
          name: "database, page by page",
          state: "warn",
          message: `damaged (${problem.text}): ${repairText(await withoutWorker(paths, () => repairStore(paths, Date.now())))}`,
        };
  return [
    first,
    ...withStore(paths, (db) => [checkIndex(db), checkTranscripts(db, paths, env)], { startsWorker: false }),
  ];
}

function checkIndex(db: Db): Check {
  const name = "search index";
  const gaps = countIndexGaps(db);
  if (gaps === 0) return { name, state: "ok", message: "matches every row" };
  rebuildSearchIndex(db);
  return {
    name,
    state: "warn",
    message: `${count(gaps, "row")} missing or outdated; it was rebuilt`,
  };
}

function checkTranscripts(db: Db, paths: Paths, env: Env): Check {
  const name = "transcripts";
  const context = startSync(db, paths, env);
  const all = findTranscripts(env, userSettings(paths, env));
  const { compared, unread, skipped, missing, files } = compareTranscripts(db, all, context, COMPARE_MS);
  const parts = [
    `${count(compared, "transcript")} compared`,
    ...(unread > 0 ? [`${unread} not read yet`] : []),
    ...(skipped > 0 ? [`${skipped} skipped after ${COMPARE_MS / 1000} s`] : []),
  ].join(", ");
  if (missing === 0) return { name, state: "ok", message: `${parts}: all stored` };
  return {
    name,
    state: "warn",
    message: `${parts}: ${count(missing, "message or tool use")} of ${count(files.length, "transcript")} not in the database, e.g. ${files[0]}`,
    fix: "Run: c-mem sync --force",
  };
}

/** Like `c-mem sync --force`. Returns the number of transcripts read. */
export function rereadTranscripts(paths: Paths, env: Env): number {
  const settings = userSettings(paths, env);
  const maxBytes = settings.maxTranscriptMb * 1024 * 1024;
  const transcripts = findTranscripts(env, settings).filter(({ file }) => file.bytes <= maxBytes);
  return withStore(paths, (db) => {
    const context = startSync(db, paths, env, { force: true });
    const steps = [...syncTranscripts(db, transcripts, context)];
    updateSearchIndex(db);
    return steps.filter(({ outcome }) => outcome !== undefined).length;
  });
}
