// observations.files_modified and files_read: files of an observation that its turn changed, and files it only read.
import type { Db } from "../db/driver.ts";
import type { TurnKey } from "./prompts.ts";
import { family } from "./sessions.ts";
import { type ObservationRow, observationsOfTurn } from "./observations.ts";
import { sql } from "../db/sql.ts";

/** `other`: files listed in the observation that its turn neither read nor changed. */
export function observationFiles(row: ObservationRow) {
  const [read, modified] = [parse(row.files_read), parse(row.files_modified)];
  const other = parse(row.files).filter((file) => !read.includes(file) && !modified.includes(file));
  return { all: [...new Set([...parse(row.files), ...modified, ...read])], modified, read, other };
}

/** Must be called after a turn's evidence or an observation's files changed. Keeps files whose evidence was deleted. */
export function renewFilesOfTurn(db: Db, turn: TurnKey): void {
  const touched = touchedInTurn(db, turn);
  for (const row of observationsOfTurn(db, turn.sessionDbId, turn.promptNumber)) {
    const before = observationFiles(row);
    const files = [...new Set([...before.all, ...namedIn(`${row.title}\n${row.narrative}\n${row.facts}`, touched)])];
    const modified = files.filter((file) => touched.get(file) === 1 || before.modified.includes(file));
    const read = files.filter((file) => !modified.includes(file) && (touched.has(file) || before.read.includes(file)));
    writeFiles(db, row.id, { modified, read });
  }
}

export function writeFiles(db: Db, id: number, { modified, read }: { modified: string[]; read: string[] }): void {
  db.run(sql`UPDATE observations SET files_modified = ${modified}, files_read = ${read}
    WHERE id = ${id} AND (files_modified <> ${modified} OR files_read <> ${read})`);
}

/** Files that the session and its subagents touched in this turn. 1: edited or created; 0: only read. */
function touchedInTurn(db: Db, { sessionDbId, promptNumber }: TurnKey): Map<string, number> {
  const rows = db.all<{ path: string; modified: number }>(sql`SELECT f.path, max(f.kind <> 'read') AS modified
    FROM tool_uses t JOIN file_touches f ON f.tool_use_db_id = t.id
    WHERE t.session_db_id IN (${family(sessionDbId)}) AND t.prompt_number = ${promptNumber} GROUP BY f.path`);
  return new Map(rows.map(({ path, modified }) => [path, modified]));
}

/** The touched files that the text names, by path. A name without folder is enough if only one touched file has it. */
function namedIn(text: string, touched: ReadonlyMap<string, number>): string[] {
  const byName = Map.groupBy(touched.keys(), (path) => path.slice(path.lastIndexOf("/") + 1));
  return [...byName].flatMap(([name, paths]) => {
    if (!name.includes(".") || !text.includes(name)) return [];
    return paths.filter((path) => hasWord(text, paths.length === 1 ? name : path));
  });
}

/** "a.ts" is in "see a.ts." and not in "data.ts" or "a.tsx". */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const [before, after] = [text[at - 1] ?? "", text.slice(at + word.length, at + word.length + 2)];
    if (!/[\w.-]/.test(before) && !/^(?:[\w-]|\.\w)/.test(after)) return true;
  }
  return false;
}

function parse(list: string): string[] {
  return list === "[]" ? [] : (JSON.parse(list) as string[]);
}
