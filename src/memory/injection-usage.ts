// What of the memory that was shown was used: later in the same session its id is named, its file touched, its fix run.
import { commandForm } from "../core/shell-command.ts";
import { STOP_WORDS, wordsOf } from "../core/words.ts";
import type { Db } from "../store/db/driver.ts";
import { changedFiles } from "../store/tables/file-touches.ts";
import { type InjectionRow, injectionsOf, setCited } from "../store/tables/injections.ts";
import { getObservation, observationOf } from "../store/tables/observations.ts";
import { type SessionActivity, sessionActivity, commandOfUse } from "../store/reads/session-activity.ts";

/** To be called inside a transaction. Counts anew each time: the same evidence gives the same count. */
export function countUse(db: Db, sessionDbId: number): void {
  const injections = injectionsOf(db, sessionDbId);
  if (injections.length === 0) return;
  const aftermath = sessionActivity(db, sessionDbId);
  for (const injection of injections) {
    const items = JSON.parse(injection.item_ids) as string[];
    const later = since(aftermath, injection.created_at);
    setCited(db, injection.id, items.filter((item) => isUsed(db, item, injection, later)).length);
  }
}

interface Later {
  text: string;
  touched: ReadonlySet<string>;
  commands: ReadonlySet<string>;
}

function since({ said, touches, commands }: SessionActivity, at: number): Later {
  return {
    text: said
      .filter((entry) => entry.at > at)
      .map((entry) => entry.text)
      .join("\n"),
    touched: new Set(touches.filter((entry) => entry.at > at).map((entry) => entry.path)),
    commands: new Set(commands.filter((entry) => entry.at > at).map((entry) => commandForm(entry.command))),
  };
}

function isUsed(db: Db, item: string, { surface }: InjectionRow, later: Later): boolean {
  const [, kind, number] = /^([oit]|session:)(\d+)$/.exec(item) ?? [];
  if (kind === undefined) return false;
  const id = Number(number);
  // Where work stopped was told, and work goes on there.
  if (kind === "session:") return changedFiles(db, id).some(({ path }) => later.touched.has(path));
  if (new RegExp(`#?\\b${kind === "t" ? "t" : "o"}${id}\\b`).test(later.text)) return true;
  if (kind === "t") return later.commands.has(commandForm(commandOfUse(db, id) ?? "\0"));
  const row = getObservation(db, id);
  if (row === undefined) return false;
  const { title, files, facts } = observationOf(row);
  if (isRepeated(title, later.text)) return true;
  // A line of an index touches on half the files there are; and before a file is touched, it is about to be.
  if (kind === "i") return false;
  if (surface !== "file" && files.some((file) => later.touched.has(file))) return true;
  const fix = facts.map((fact) => /^Passes: `(.+)`$/.exec(fact)?.[1]).find((command) => command !== undefined);
  return fix !== undefined && later.commands.has(fix);
}

const MIN_WORDS = 4;
const MOST = 0.75;

/** Somebody who says most of its words again has read it. */
function isRepeated(title: string, text: string): boolean {
  const words = [...new Set(wordsOf(title.toLowerCase()).filter((word) => word.length > 3 && !STOP_WORDS.has(word)))];
  if (words.length < MIN_WORDS) return false;
  return text
    .toLowerCase()
    .split("\n")
    .some((line) => words.filter((word) => line.includes(word)).length >= words.length * MOST);
}
