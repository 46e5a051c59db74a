// Chooses the decision or fix behind the lines that the agent is about to replace. Compares recorded texts, without git.
import { join } from "node:path";
import { addedLines, isTelling, readEdit } from "../../core/lines/file-change.ts";
import { parseJson } from "../../core/json.ts";
import { readText } from "../../platform/read-file.ts";
import type { Db } from "../../store/db/driver.ts";
import { type DecidedEdit, decidedEdits, decisionsOfTurn } from "../../store/reads/line-evidence.ts";
import { observationOf } from "../../store/tables/observations.ts";
import { toolUsesByIds } from "../../store/tables/tool-uses.ts";
import type { Line } from "./block.ts";
import type { EventRequest } from "./event-context.ts";
import { answerLine, checkRow, itemId } from "./observation-lines.ts";

export interface PlannedEdit {
  name: string;
  input: unknown;
  path: string;
}

export interface LineNote {
  line: Line | undefined;
  /** Turns with a decision or fix edited this file: its other lines may be worth a note, too. */
  mayHaveMore: boolean;
}

export function noteOnLines(db: Db, edit: PlannedEdit, request: EventRequest): LineNote {
  const { path } = edit;
  const edits = decidedEdits(db, { path, projectId: request.projectId, except: request.ownSessionId });
  const replaced = edits.length === 0 ? [] : uniqueLines(replacedLines(edit), request.tree, path);
  const found = replaced.length === 0 ? undefined : edits.find((use) => hasLine(db, use, replaced));
  const line = found && decisionLine(db, found, path, request);
  return { line, mayHaveMore: edits.length > 0 };
}

/** The lines that the edit removes or changes. Of a line that it changes in part, the part. */
export function replacedLines({ name, input, path }: PlannedEdit): string[] {
  const { changes } = readEdit({ name, input, output: null }, path);
  const lines = changes.flatMap((change) => {
    if (change.kind === "lines") return addedLines({ ...change, before: change.after, after: change.before });
    return change.kind === "text" ? addedLines({ ...change, before: change.after, after: change.before }) : [];
  });
  return lines.filter(isTelling).map((text) => text.trim());
}

/** The lines that the file has once: a decision about one "return null;" is not behind another. */
function uniqueLines(replaced: readonly string[], tree: EventRequest["tree"], path: string): readonly string[] {
  const text = tree && readText(join(tree.top, path));
  return text === undefined ? replaced : replaced.filter((line) => text.indexOf(line) === text.lastIndexOf(line));
}

function hasLine(db: Db, use: DecidedEdit, replaced: readonly string[]): boolean {
  const adds = (output: string | null): boolean => {
    const { changes } = readEdit({ ...use, input: parseJson(use.input), output }, use.path);
    const written = changes.flatMap(addedLines);
    return replaced.some((part) => written.some((line) => line.includes(part)));
  };
  if (!adds(null)) return false;
  const isWhole = use.kind !== "create" && writesWholeFile(use);
  if (!isWhole) return true;
  // A tool that overwrites a file also writes the lines it keeps: only the patch it logged says what it added.
  const [full] = toolUsesByIds(db, [use.tool_use_db_id]);
  return full?.output?.startsWith("@@ ") === true && adds(full.output);
}

function writesWholeFile(use: DecidedEdit): boolean {
  const { changes } = readEdit({ ...use, input: parseJson(use.input), output: null }, use.path);
  return changes.some((change) => change.kind === "whole" && !change.isNew);
}

/** An observation about other files, or about none, is not about these lines. */
function decisionLine(
  db: Db,
  turn: { session_db_id: number; prompt_number: number },
  path: string,
  { shown, tree, now }: EventRequest,
): Line | undefined {
  const rows = decisionsOfTurn(db, turn).filter((row) => {
    const { files } = observationOf(row);
    return !shown.has(itemId(row)) && files.includes(path);
  });
  for (const row of rows) {
    const freshness = checkRow(tree, row);
    if (freshness.kind === "gone") continue;
    const line = answerLine(row, freshness, tree, now);
    return { ...line, text: line.text.replace(/^- /, "- Behind the lines you are changing: ") };
  }
  return undefined;
}
