// Shows a tool use on one line: its subject ("npm test", "src/a.ts") and its outcome ("exit 1", "new +3").
import { isDenial } from "../../core/error-text.ts";
import { asObject, asString, type JsonObject, parseJson } from "../../core/json.ts";
import { normaliseCommand } from "../../core/shell-command.ts";
import { listText, oneLine } from "../../core/text.ts";
import type { TouchRow } from "../../store/tables/file-touches.ts";
import type { ToolUseRow } from "../../store/tables/tool-uses.ts";

const SUBJECT_CHARS = 400;

/** Input fields that can be the subject, most specific first. */
const SUBJECT_FIELDS = "command file_path notebook_path pattern query url subject description skill path prompt".split(
  " ",
);

/** Paths below `cwd`, the session's folder, become relative. */
export function toolLine(use: ToolUseRow, touches: readonly TouchRow[], cwd: string) {
  const subject = subjectOf(use, touches).slice(0, SUBJECT_CHARS * 4);
  return {
    subject: oneLine(cwd.length > 1 ? subject.replaceAll(`${cwd}/`, "") : subject, SUBJECT_CHARS),
    outcome: outcomeOf(use, touches),
  };
}

export function commandOf(input: string): string | undefined {
  return asString(parseInput(input)["command"]);
}

export function parseInput(input: string): JsonObject {
  return asObject(parseJson(input)) ?? {};
}

function subjectOf(use: ToolUseRow, touches: readonly TouchRow[]): string {
  const input = parseInput(use.input);
  if (use.name === "Bash") return normaliseCommand(String(input["command"] ?? ""));
  const paths = touches.map(({ path }) => path);
  if (paths.length > 0) return listText(paths, 1);
  if (use.name === "Grep")
    return [input["pattern"], input["path"] ?? input["glob"]].filter(Boolean).map(String).join("  in ");
  const field = SUBJECT_FIELDS.find((name) => typeof input[name] === "string" && input[name] !== "");
  if (field !== undefined) return String(input[field]);
  return Object.entries(input)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}

function outcomeOf(use: ToolUseRow, touches: readonly TouchRow[]): string {
  if (use.is_error && isDenial(use.output ?? "")) return "denied";
  if (use.is_error) return use.exit_code === null ? "failed" : `exit ${use.exit_code}`;
  const added = touches.reduce((sum, touch) => sum + (touch.added ?? 0), 0);
  const removed = touches.reduce((sum, touch) => sum + (touch.removed ?? 0), 0);
  const isNew = touches.some((touch) => touch.kind === "create");
  return [isNew && "new", added > 0 && `+${added}`, removed > 0 && `-${removed}`].filter(Boolean).join(" ");
}
