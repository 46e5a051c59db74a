// The list of all queries that have an HTTP route.
import { audit } from "./audit.ts";
import { backups } from "./backups.ts";
import { blame } from "./blame.ts";
import { context } from "./context.ts";
import { cost } from "./cost.ts";
import { diskUsage } from "./disk-usage.ts";
import { effort, efforts } from "./efforts.ts";
import { sessionExport } from "./export.ts";
import { fix } from "./fix.ts";
import { health } from "./health.ts";
import { how } from "./how.ts";
import { impact } from "./impact.ts";
import { list } from "./list.ts";
import { modelStatus } from "./model.ts";
import { observation, observationBatch, observations } from "./observations.ts";
import { paths } from "./paths.ts";
import { projects } from "./projects.ts";
import type { AnyQuery } from "./query.ts";
import { related } from "./related.ts";
import { resume } from "./resume.ts";
import { search } from "./search.ts";
import { find, items, outline, transcript } from "./session-items.ts";
import { session } from "./session.ts";
import { changeSetting, settings, unsetSetting } from "./settings.ts";
import { stats } from "./stats.ts";
import { status } from "./status.ts";
import { syncStatus } from "./sync-status.ts";
import { timeline } from "./timeline.ts";
import { edit, pin, remember, supersede, undoSupersede, unpin } from "./user-edits.ts";
import { why } from "./why.ts";
import { logs, retryFailed, workerLog, workerStatus } from "./worker.ts";
import { changeWriter, writerNotice } from "./writer.ts";
import { undoWrong, wrong } from "./wrong.ts";

export const QUERIES: readonly AnyQuery[] = [
  audit,
  backups,
  blame,
  changeSetting,
  changeWriter,
  context,
  cost,
  diskUsage,
  edit,
  effort,
  efforts,
  find,
  fix,
  health,
  how,
  impact,
  items,
  list,
  logs,
  modelStatus,
  observation,
  observationBatch,
  observations,
  outline,
  paths,
  pin,
  projects,
  related,
  remember,
  resume,
  retryFailed,
  search,
  session,
  sessionExport,
  settings,
  stats,
  status,
  supersede,
  syncStatus,
  timeline,
  transcript,
  undoSupersede,
  undoWrong,
  unpin,
  unsetSetting,
  why,
  workerLog,
  workerStatus,
  writerNotice,
  wrong,
];
