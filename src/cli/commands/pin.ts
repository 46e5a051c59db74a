// c-mem pin, c-mem unpin: what is pinned comes first, and no rebuild takes it away.
import { resolvePaths } from "../../config/paths.ts";
import { pin } from "../../memory/own.ts";
import { findObservation, type ObservationEntry } from "../../store/observation-list.ts";
import { fit } from "../layout.ts";
import type { CommandOptions } from "../table.ts";
import { observationId } from "../observation-flags.ts";
import { observationJson } from "../observation-text.ts";
import { EXIT, print, printJson } from "../output.ts";
import { withStore } from "../store.ts";

export function run(options: CommandOptions): number {
  return change(options, true);
}

export function runUnpin(options: CommandOptions): number {
  return change(options, false);
}

function change({ args, json }: CommandOptions, isPinned: boolean): number {
  const ids = args.map(observationId);
  return withStore(resolvePaths(process.env), (db) => {
    for (const id of ids) pin(db, id, isPinned);
    const rows = ids.map((id) => findObservation(db, id) as ObservationEntry);
    if (json) printJson(isPinned ? "pin" : "unpin", { results: rows.map(observationJson) });
    else
      for (const row of rows) print(`${isPinned ? "Pinned" : "No longer pinned"}: o${row.id} ${fit(row.title, 100)}`);
    return EXIT.ok;
  });
}
