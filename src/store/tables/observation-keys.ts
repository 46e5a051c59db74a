// observation_keys: which observations have something to say about a file or a command, found without any search.
import type { Observation } from "../../core/memory.ts";
import { commandForm } from "../../core/shell-command.ts";
import type { Db } from "../db/driver.ts";
import type { ObservationRow } from "./observations.ts";

export type KeyKind = "file" | "command";

/** A turn that touched more files than this says little about each of them. */
const MAX_FILES = 20;
/** How the extractor words a command that was the wrong one (memory/extract/fixes.ts). */
const WRONG_COMMAND = /^`([^`\n]+)` failed\b/;

export function keysOf(observation: Observation): { kind: KeyKind; key: string }[] {
  const files = observation.files.slice(0, MAX_FILES).map((path) => ({ kind: "file" as const, key: path }));
  const command = observation.concepts.includes("gotcha") ? WRONG_COMMAND.exec(observation.narrative)?.[1] : undefined;
  return command === undefined ? files : [...files, { kind: "command", key: command }];
}

/** A command as the extractor writes it down. */
export function commandKeyOf(command: string): string {
  return commandForm(command).replaceAll("`", "'");
}

/** What stands about it in this project (or in all), newest first. */
export function observationsAbout(
  db: Db,
  { kind, key }: { kind: KeyKind; key: string },
  projectId: number,
  limit: number,
): ObservationRow[] {
  return db.all(
    `SELECT o.* FROM (SELECT observation_id FROM observation_keys WHERE kind = ? AND key = ? ORDER BY observation_id DESC LIMIT ?) k
     CROSS JOIN observations o ON o.id = k.observation_id
     WHERE o.is_current = 1 AND o.superseded_by IS NULL AND (o.project_id = ? OR o.project_id IS NULL)
     ORDER BY o.valid_from DESC, o.id DESC`,
    kind,
    key,
    limit,
    projectId,
  );
}
