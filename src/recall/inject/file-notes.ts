// Chooses what an observation says about a file that is about to be read or changed.
import { sentencesOf } from "../../core/prose.ts";
import { observationOf, type ObservationRow } from "../../store/tables/observations.ts";
import { isWrittenByUser, withoutWorkList } from "./observation-lines.ts";
import { INFORMATIVE_TYPES } from "./match-prompt.ts";

/** An observation about more files than this says little about each, unless it names the file. */
const FEW_FILES = 2;
const MAX_SENTENCES = 2;
const MIN_STEM_CHARS = 4;
/** Many folders have a file of this name: only with its folder does a text name it. */
const COMMON_STEM =
  /^(?:index|main|mod|lib|types?|utils?|helpers?|common|constants?|config|settings|setup|app|page|route|routes|layout|styles?|readme|package|changelog|test|tests|__init__)$/i;

/** The sentences of the observation that are about the file. Undefined if it only says that the file was changed. */
export function saysAboutFile(row: ObservationRow, path: string): string[] | undefined {
  const { title, narrative, facts, files } = observationOf(row);
  const sentences = [narrative, ...facts]
    .flatMap((text) => sentencesOf(withoutWorkList(text)))
    .filter((text) => text !== "" && text !== title);
  const named = sentences.filter((text) => namesFile(text, path));
  if (named.length > 0) return named.slice(0, MAX_SENTENCES);
  const isWritten = isWrittenByUser(row);
  if (!isWritten && (!INFORMATIVE_TYPES.has(row.type) || files.length > FEW_FILES)) return undefined;
  if (sentences.length > 0) return sentences.slice(0, MAX_SENTENCES);
  // A decision or a finding may be said by its title alone.
  return row.type === "bugfix" && !isWritten ? undefined : [];
}

/** "src/csv/reader.ts" is named by "reader.ts" and "the reader", but "src/index.ts" only by "src/index". */
export function namesFile(text: string, path: string): boolean {
  const [name = "", folder = ""] = path.split("/").toReversed();
  const stem = name.replace(/(?:\.(?:test|spec|d))?\.\w+$/, "");
  const isCommon = stem.length < MIN_STEM_CHARS || COMMON_STEM.test(stem);
  const wanted = isCommon ? `${folder}/${stem}` : stem;
  const at = text.toLowerCase().indexOf(wanted.toLowerCase());
  const isWordAt = (index: number): boolean => /[\w-]/.test(text[index] ?? "");
  return wanted !== "/" && at !== -1 && !isWordAt(at - 1) && !isWordAt(at + wanted.length);
}
