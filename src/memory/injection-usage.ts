// Counts the injected items that a session used: it named the id, touched the file, ran the fix or repeated the title.
import { commandForm } from "../core/shell-command.ts";
import { sentencesOf } from "../core/prose.ts";
import { STOP_WORDS, wordsOf } from "../core/words.ts";
import type { Db } from "../store/db/driver.ts";
import { commandOfUse, type SessionActivity, sessionActivity, turnResult } from "../store/reads/session-activity.ts";
import { changedFiles } from "../store/tables/file-touches.ts";
import { injectionsOf, setUsedItems } from "../store/tables/injections.ts";
import { getObservation, observationOf } from "../store/tables/observations.ts";

/** Call inside a transaction. Counts all injections of the session again, so repeated calls give the same result. */
export function countUsedItems(db: Db, sessionDbId: number): void {
  const injections = injectionsOf(db, sessionDbId);
  if (injections.length === 0) return;
  const activity = sessionActivity(db, sessionDbId);
  for (const { id, item_ids, surface, created_at: at } of injections) {
    const later = activityAfter(activity, at);
    setUsedItems(db, id, (JSON.parse(item_ids) as string[]).filter((item) => isUsed(db, item, surface, later)).length);
  }
}

function activityAfter({ said, touches, commands }: SessionActivity, at: number) {
  const after = <T extends { at: number }>(entries: readonly T[]): T[] => entries.filter((entry) => entry.at > at);
  return {
    text: after(said)
      .map(({ text }) => text)
      .join("\n"),
    touched: new Set(after(touches).map(({ path }) => path)),
    commands: new Set(after(commands).map(({ command }) => commandForm(command))),
  };
}

/** Items: "o12" is an observation, "i12" one shown by title only, "p12" a turn, "t12" a tool use, "session:12" a session. */
function isUsed(
  db: Db,
  item: string,
  surface: string,
  { text, touched, commands }: ReturnType<typeof activityAfter>,
): boolean {
  const [, kind, number] = /^([oipt]|session:)(\d+)$/.exec(item) ?? [];
  if (kind === undefined) return false;
  const id = Number(number);
  if (kind === "session:") return changedFiles(db, id).some(({ path }) => touched.has(path));
  if (new RegExp(`#?\\b${kind === "i" ? "o" : kind}${id}\\b`).test(text)) return true;
  if (kind === "t") return commands.has(commandForm(commandOfUse(db, id) ?? "\0"));
  if (kind === "p") return isTurnUsed(db, id, text, touched);
  const row = getObservation(db, id);
  if (row === undefined) return false;
  const { title, files } = observationOf(row);
  if (isRepeated(title, text)) return true;
  // Only its title was shown: the list of titles names too many files to count touches.
  if (kind === "i") return false;
  // Context for a file is injected because the file is about to be touched, so the touch proves nothing.
  return surface !== "file" && files.some((file) => touched.has(file));
}

/** True if the session changed or read a file of the turn, or repeated a sentence of its answer. */
function isTurnUsed(db: Db, promptDbId: number, text: string, touched: ReadonlySet<string>): boolean {
  const { response, paths } = turnResult(db, promptDbId);
  return paths.some((path) => touched.has(path)) || sentencesOf(response).some((one) => isRepeated(one, text));
}

const MIN_WORDS = 4;
const REPEATED_SHARE = 0.75;

/** True if a line of the text has at least 75% of the title's words. */
function isRepeated(title: string, text: string): boolean {
  const words = [...new Set(wordsOf(title.toLowerCase()).filter((word) => word.length > 3 && !STOP_WORDS.has(word)))];
  const hasMost = (line: string): boolean =>
    words.filter((word) => line.includes(word)).length >= words.length * REPEATED_SHARE;
  return words.length >= MIN_WORDS && text.toLowerCase().split("\n").some(hasMost);
}
