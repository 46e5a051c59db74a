// A tool use folded to one line: what it was about and how it came out.
import { normaliseCommand } from "../../core/shell-command.ts";
import { oneLine } from "../../core/text.ts";
import type { TouchRow } from "../../store/tables/file-touches.ts";
import type { ToolUseRow } from "../../store/tables/tool-uses.ts";

export interface ToolLine {
  subject: string;
  outcome: string;
}

const SUBJECT_CHARS = 400;

/** The field of the input that says what a tool is used on, by how telling it is. */
const TELLING = [
  "command",
  "file_path",
  "notebook_path",
  "pattern",
  "query",
  "url",
  "subject",
  "description",
  "skill",
  "path",
  "prompt",
];

/** Paths in the session's own folder are shown from there. */
export function toolLine(use: ToolUseRow, touches: readonly TouchRow[], cwd: string): ToolLine {
  const subject = subjectOf(use, touches).slice(0, SUBJECT_CHARS * 4);
  return {
    subject: oneLine(cwd.length > 1 ? subject.replaceAll(`${cwd}/`, "") : subject, SUBJECT_CHARS),
    outcome: outcomeOf(use, touches),
  };
}

/** What the user turned down, or what never ran, is no failure of the tool. */
export function wasDenied(use: { is_error: number; output: string | null }): boolean {
  return use.is_error === 1 && /^The user doesn't want to (?:proceed|take this action)/.test(use.output ?? "");
}

export function commandOf(input: string): string | undefined {
  const command = parseInput(input)["command"];
  return typeof command === "string" ? command : undefined;
}

export function parseInput(input: string): Record<string, unknown> {
  try {
    const value = JSON.parse(input) as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function subjectOf(use: ToolUseRow, touches: readonly TouchRow[]): string {
  const input = parseInput(use.input);
  if (use.name === "Bash") return normaliseCommand(String(input["command"] ?? ""));
  const [touch] = touches;
  if (touch !== undefined) return touch.path + (touches.length > 1 ? ` and ${touches.length - 1} more` : "");
  if (use.name === "Grep")
    return [input["pattern"], input["path"] ?? input["glob"]].filter(Boolean).map(String).join("  in ");
  const key = TELLING.find((name) => typeof input[name] === "string" && input[name] !== "");
  if (key !== undefined) return String(input[key]);
  const text = Object.entries(input)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
  return text;
}

function outcomeOf(use: ToolUseRow, touches: readonly TouchRow[]): string {
  if (wasDenied(use)) return "denied";
  if (use.is_error && use.exit_code !== null) return `exit ${use.exit_code}`;
  if (use.is_error) return "failed";
  const added = sum(touches.map((touch) => touch.added));
  const removed = sum(touches.map((touch) => touch.removed));
  const lines = [added > 0 && `+${added}`, removed > 0 && `-${removed}`].filter(Boolean).join(" ");
  const created = touches.some((touch) => touch.kind === "create");
  return [created && "new", lines].filter(Boolean).join(" ");
}

function sum(numbers: readonly (number | null)[]): number {
  return numbers.reduce<number>((total, number) => total + (number ?? 0), 0);
}
