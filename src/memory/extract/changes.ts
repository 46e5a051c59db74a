// Finds the files that a turn changed, created, renamed or deleted.
import { isScratchPath } from "../../core/scratch-path.ts";
import { splitCommand } from "../../core/shell-command.ts";
import { listText } from "../../core/text.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";

export interface ChangedFile {
  path: string;
  added: number;
  removed: number;
  isNew: boolean;
  /** Item ids of the tool uses that changed the file. */
  evidence: string[];
}

export interface Changes {
  /** Files with the most changed lines first. */
  files: ChangedFile[];
  renamed: { from: string; to: string }[];
  deleted: string[];
}

export function changesOf({ toolUses, root }: TurnEvidence): Changes {
  const files = new Map<string, ChangedFile>();
  const changes: Changes = { files: [], renamed: [], deleted: [] };
  for (const use of toolUses) {
    if (use.isError) continue;
    for (const touch of use.files) {
      if (touch.kind === "read" || isScratchPath(touch.path)) continue;
      const file = files.get(touch.path) ?? { path: touch.path, added: 0, removed: 0, isNew: false, evidence: [] };
      file.added += touch.added ?? 0;
      file.removed += touch.removed ?? 0;
      file.isNew ||= touch.kind === "create";
      file.evidence.push(use.id);
      files.set(touch.path, file);
    }
    readShellMoves(use, changes, root);
  }
  changes.files = [...files.values()].sort((a, b) => changedLines(b) - changedLines(a));
  return changes;
}

/** 0 if the agent did not report line counts. */
export function changedLines(file: ChangedFile): number {
  return file.added + file.removed;
}

const PATH = String.raw`((?:[\w@.~+-]+\/)*[\w@.+-]*\.\w{1,8}|(?:[\w@.+-]+\/)+[\w@.+-]+)`;
const MOVE = new RegExp(String.raw`^(?:git )?mv (?:-\w+ )*${PATH} ${PATH}$`);
const DELETE = new RegExp(String.raw`^git rm(?: -\w+| --cached)* ${PATH}(?: |$)`);

function readShellMoves({ name, input }: EvidenceToolUse, changes: Changes, root: string): void {
  const command = input["command"];
  if (name !== "Bash" || typeof command !== "string" || !/\b(?:mv|rm)\b/.test(command)) return;
  for (const part of splitCommand(root.length > 1 ? command.replaceAll(`${root}/`, "") : command)) {
    const [, from, to] = MOVE.exec(part) ?? [];
    if (from !== undefined && to !== undefined) changes.renamed.push({ from, to });
    const deleted = DELETE.exec(part)?.[1];
    if (deleted !== undefined) changes.deleted.push(deleted);
  }
}

export function baseName(path: string): string {
  return path.split("/").at(-1) ?? path;
}

/** "index.ts", or "api/index.ts" if another of the files has the same name. */
function shortName({ path }: ChangedFile, files: readonly ChangedFile[]): string {
  const name = baseName(path);
  const isShared = files.some((other) => other.path !== path && baseName(other.path) === name);
  return isShared ? path.split("/").slice(-2).join("/") : name;
}

/** "3 files (+30 −14): a.ts, b.ts, c.ts" */
export function filesText(files: readonly ChangedFile[]): string {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const lines = added + removed === 0 ? "" : ` (+${added} −${removed})`;
  const names = files.map((file) => `${shortName(file, files)}${file.isNew ? " (new)" : ""}`);
  return `${files.length} ${files.length === 1 ? "file" : "files"}${lines}: ${listText(names, 3)}`;
}
