// c-mem supersede: says that one observation takes the place of another, which stays, dated and marked.
import { resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { supersede, undoSupersede } from "../../memory/own.ts";
import { findObservation, type ObservationEntry } from "../../store/observation-list.ts";
import { fit } from "../layout.ts";
import type { CommandOptions } from "../table.ts";
import { observationId } from "../observation-flags.ts";
import { observationJson } from "../observation-text.ts";
import { EXIT, print, printJson } from "../output.ts";
import { withStore } from "../store.ts";

export function run({ args, flags, json }: CommandOptions): number {
  const older = observationId(args[0] ?? "");
  const isUndo = flags["undo"] === true;
  if (isUndo !== (args[1] === undefined)) {
    throw new AppError("usage", isUndo ? "--undo takes one observation." : `What takes the place of o${older}?`, {
      hint: "c-mem supersede <old> <new>, or c-mem supersede <old> --undo",
    });
  }
  const newer = isUndo ? undefined : observationId(args[1] ?? "");
  return withStore(resolvePaths(process.env), (db) => {
    if (newer === undefined) undoSupersede(db, older, Date.now());
    else supersede(db, older, newer, Date.now());
    const row = findObservation(db, older) as ObservationEntry;
    if (json) printJson("supersede", observationJson(row));
    else if (row.superseded_by === null) print(`o${older} holds again: ${fit(row.title, 100)}`);
    else print(`o${older} is replaced by o${row.superseded_by}: ${fit(row.successor_title ?? "", 100)}`);
    return EXIT.ok;
  });
}
