// Chooses what an observation says about a file that is about to be read or changed.
import type { Db } from "../../store/db/driver.ts";
import { sessionsThatChanged } from "../../store/tables/file-touches.ts";
import { observationOf, type ObservationRow } from "../../store/tables/observations.ts";
import { isWrittenByUser, sentencesAbout } from "./observation-lines.ts";
import { INFORMATIVE_TYPES } from "./match-prompt.ts";

/** An observation about more files than this says little about each, unless it names the file. */
const FEW_FILES = 2;
const MAX_SENTENCES = 2;
/** Many folders have a file of this name: only with its folder does a text name it. */
const COMMON_NAME =
  /^(?:index|main|mod|lib|types?|utils?|helpers?|common|constants?|config|settings|setup|app|page|routes?|layout|styles?|readme|package|changelog|tests?|__init__)\./i;
/** Names such as `RemediateTab` and prompt-generator are not words of a sentence by chance. */
const CODE_NAME = /[a-z][A-Z]|[A-Za-z][-_.]?\d|\w[-_]\w/;

/** The sentences of the observation that are about the file. Undefined if it only says that the file was changed. */
export function saysAboutFile(row: ObservationRow, path: string): string[] | undefined {
  const { files } = observationOf(row);
  const sentences = sentencesAbout(row);
  const named = sentences.filter((text) => namesFile(text, path));
  if (named.length > 0) return named.slice(0, MAX_SENTENCES);
  const isWritten = isWrittenByUser(row);
  if (!isWritten && (!INFORMATIVE_TYPES.has(row.type) || files.length > FEW_FILES)) return undefined;
  if (sentences.length > 0) return sentences.slice(0, MAX_SENTENCES);
  // A decision or a finding may be said by its title alone.
  return row.type === "bugfix" && !isWritten ? undefined : [];
}

const TEST_FILE = /\.(?:test|spec)\.\w+$/;
const TEST_FILES = /\S*\.(?:test|spec)\.\w+/g;

/** "src/csv/row-reader.ts" is named by "row-reader", "src/reader.ts" by "reader.ts", "src/index.ts" by "src/index". */
function namesFile(given: string, path: string): boolean {
  const text = TEST_FILE.test(path) ? given : given.replace(TEST_FILES, "");
  const [name = "", folder = ""] = path.split("/").toReversed();
  const stem = name.replace(/(?:\.(?:test|spec|d))?\.\w+$/, "");
  const wanted = COMMON_NAME.test(name) ? `${folder}/${stem}` : CODE_NAME.test(stem) ? stem : name;
  const at = text.toLowerCase().indexOf(wanted.toLowerCase());
  const isWordAt = (index: number): boolean => /[\w-]/.test(text[index] ?? "");
  return at !== -1 && !isWordAt(at - 1) && !isWordAt(at + wanted.length);
}

/** After as many later sessions that changed the file, a note of work on it is out of date. */
const MAX_LATER_CHANGES = 2;

/** True if the file was changed so often since that the observation probably no longer holds. */
export function isOutdated(db: Db, row: ObservationRow, path: string): boolean {
  if (row.type === "decision" || isWrittenByUser(row)) return false;
  return sessionsThatChanged(db, path, row.project_id, row.valid_from) >= MAX_LATER_CHANGES;
}
