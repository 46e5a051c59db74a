// What is done about room, at rest: old outputs compressed, what the settings do not keep taken out, free pages given back.
import type { Settings } from "../config/schema.ts";
import { isRetentionSet, purge } from "../upkeep/retention/retention.ts";
import type { Db } from "../store/db/driver.ts";
import { packOutputs } from "../store/tables/packed.ts";
import { giveBack, roomOf } from "../store/db/disk-usage.ts";
import type { Log } from "./log.ts";

/** Older tool outputs are compressed: to 0.30 of their size on real sessions. */
const COMPRESS_AFTER_MS = 30 * 24 * 60 * 60 * 1000;
/** Below this a VACUUM takes a second or two. */
const VACUUM_BYTES = 200 * 1024 * 1024;
/** Fewer free pages than this are soon used again. */
const FREE_SHARE = 0.1;

/** Yields between short steps; between two of them the worker does what is more urgent. */
export function* saveRoom(db: Db, settings: Settings, log: Log): Generator<unknown, void> {
  if (isRetentionSet(settings)) {
    const mayVacuum = roomOf(db).bytes < VACUUM_BYTES;
    const { sessions, observations } = yield* purge(db, settings, Date.now(), { mayVacuum });
    if (sessions + observations > 0)
      log(`purged: the evidence of ${sessions} sessions, ${observations} observations, as the settings say`);
  }
  const before = Date.now() - COMPRESS_AFTER_MS;
  let packed = 0;
  for (let rows = packOutputs(db, before); rows > 0; rows = packOutputs(db, before)) {
    packed += rows;
    yield;
  }
  if (packed > 0) log(`compressed ${packed} old tool outputs`);
  if (isWasteful(db)) yield* giveBack(db);
}

function isWasteful(db: Db): boolean {
  const { bytes, free } = roomOf(db);
  return free > bytes * FREE_SHARE;
}
