// Which files a turn changed, and how: lines, new files, new names, what was deleted.
import { splitCommand } from "../../core/shell-command.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";

export interface ChangedFile {
  path: string;
  added: number;
  removed: number;
  isNew: boolean;
  /** Item ids of the tool uses that changed it. */
  evidence: string[];
}

export interface Changes {
  files: ChangedFile[];
  renamed: { from: string; to: string; evidence: string }[];
  deleted: { path: string; evidence: string }[];
}

/** Notes of the agent's own, and scratch files: nobody's work. */
const SCRATCH =
  /^(?:\/private)?\/(?:tmp|var\/folders)\/|\/\.(?:claude|codex|copilot|gemini)\/(?:plans|projects|todos|sessions|tmp)\/|(?:^|\/)scratchpad\//;

export function changesOf(evidence: TurnEvidence): Changes {
  const files = new Map<string, ChangedFile>();
  const changes: Changes = { files: [], renamed: [], deleted: [] };
  for (const use of evidence.toolUses) {
    if (use.isError) continue;
    for (const touch of use.files) {
      if (touch.kind === "read" || SCRATCH.test(touch.path)) continue;
      const file = files.get(touch.path) ?? { path: touch.path, added: 0, removed: 0, isNew: false, evidence: [] };
      file.added += touch.added ?? 0;
      file.removed += touch.removed ?? 0;
      file.isNew ||= touch.kind === "create";
      file.evidence.push(use.id);
      files.set(touch.path, file);
    }
    moved(use, changes, evidence.root);
  }
  // A file that was only written and never edited may say nothing of lines: it still changed.
  changes.files = [...files.values()].sort((a, b) => weight(b) - weight(a));
  return changes;
}

export function weight(file: ChangedFile): number {
  return file.added + file.removed;
}

const PATH = String.raw`((?:[\w@.~+-]+\/)*[\w@.+-]*\.\w{1,8}|(?:[\w@.+-]+\/)+[\w@.+-]+)`;
const MOVE = new RegExp(String.raw`^(?:git )?mv (?:-\w+ )*${PATH} ${PATH}$`);
const DELETE = new RegExp(String.raw`^(?:git rm|rm)(?: -\w+| --cached)* ${PATH}(?: |$)`);

function moved(use: EvidenceToolUse, changes: Changes, root: string): void {
  const command = use.input["command"];
  if (use.name !== "Bash" || typeof command !== "string" || !/\b(?:mv|rm)\b/.test(command)) return;
  const local = root.length > 1 ? command.replaceAll(`${root}/`, "") : command;
  for (const part of splitCommand(local)) {
    const [, from, to] = MOVE.exec(part) ?? [];
    if (from !== undefined && to !== undefined) changes.renamed.push({ from, to, evidence: use.id });
    const path = DELETE.exec(part)?.[1];
    if (path !== undefined && part.startsWith("git rm")) changes.deleted.push({ path, evidence: use.id });
  }
}

export function baseName(path: string): string {
  return path.split("/").at(-1) ?? path;
}

/** With its folder where another one has the same name. */
function shortName({ path }: ChangedFile, files: readonly ChangedFile[]): string {
  const name = baseName(path);
  const isShared = files.some((other) => other.path !== path && baseName(other.path) === name);
  return isShared ? path.split("/").slice(-2).join("/") : name;
}

const MAX_NAMED = 3;

/** "3 files (+30 −14): a.ts, b.ts, c.ts" */
export function filesText(files: readonly ChangedFile[]): string {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const lines = added + removed === 0 ? "" : ` (+${added} −${removed})`;
  const names = files.slice(0, MAX_NAMED).map((file) => `${shortName(file, files)}${file.isNew ? " (new)" : ""}`);
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : "";
  return `${files.length} ${files.length === 1 ? "file" : "files"}${lines}: ${names.join(", ")}${more}`;
}
