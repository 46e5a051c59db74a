// Which of an observation's files its turn changed, and which it only read.
import type { Db } from "../db/driver.ts";
import { type ObservationRow, observationsOfTurn } from "./observations.ts";

export interface ObservationFiles {
  all: string[];
  modified: string[];
  read: string[];
  /** Named, and neither read nor changed in that turn. */
  other: string[];
}

export function observationFiles(
  row: Pick<ObservationRow, "files" | "files_read" | "files_modified">,
): ObservationFiles {
  const [read, modified] = [parse(row.files_read), parse(row.files_modified)];
  const other = parse(row.files).filter((file) => !read.includes(file) && !modified.includes(file));
  return { all: [...new Set([...parse(row.files), ...modified, ...read])], modified, read, other };
}

/** After its evidence or its list of files has changed. What was known stays where the evidence is gone by now. */
export function renewFilesOfTurn(db: Db, turn: { sessionDbId: number; promptNumber: number }): void {
  const touched = touchedInTurn(db, turn);
  for (const row of observationsOfTurn(db, turn.sessionDbId, turn.promptNumber)) {
    const before = observationFiles(row);
    const files = [...new Set([...before.all, ...namedIn(`${row.title}\n${row.narrative}\n${row.facts}`, touched)])];
    const modified = files.filter((file) => touched.get(file) === 1 || before.modified.includes(file));
    const read = files.filter((file) => !modified.includes(file) && (touched.has(file) || before.read.includes(file)));
    writeFiles(db, row.id, { modified, read });
  }
}

export function writeFiles(db: Db, id: number, { modified, read }: Pick<ObservationFiles, "modified" | "read">): void {
  db.run(
    `UPDATE observations SET files_modified = ?2, files_read = ?3 WHERE id = ?1 AND (files_modified <> ?2 OR files_read <> ?3)`,
    id,
    JSON.stringify(modified),
    JSON.stringify(read),
  );
}

/** 1: edited or created; 0: only read. By the session and its subagents. */
function touchedInTurn(
  db: Db,
  { sessionDbId, promptNumber }: { sessionDbId: number; promptNumber: number },
): Map<string, number> {
  const rows = db.all<{ path: string; modified: number }>(
    `SELECT f.path, max(f.kind <> 'read') AS modified FROM tool_uses t JOIN file_touches f ON f.tool_use_db_id = t.id
     WHERE t.session_db_id IN (SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1) AND t.prompt_number = ?2
     GROUP BY f.path`,
    sessionDbId,
    promptNumber,
  );
  return new Map(rows.map(({ path, modified }) => [path, modified]));
}

/** A file counts as named by its path, or by its name where the turn touched no other file of that name. */
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
