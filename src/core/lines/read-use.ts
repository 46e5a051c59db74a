// What a recorded tool use changed in a file: by an edit tool, or by a shell command with the text in it.
import { asObject, asString, parseJson } from "../json.ts";
import { readEdit, type RecordedEdit } from "./file-change.ts";
import { shellChanges } from "./shell-writes.ts";

interface FileUse {
  path: string;
  /** Where the session began. */
  cwd: string;
  name: string;
  /** JSON */
  input: string;
  output: string | null;
}

export function readUse(use: FileUse): RecordedEdit {
  const input = parseJson(use.input);
  if (use.name === "Bash") return { changes: shellChanges(asString(asObject(input)?.["command"]) ?? "", use) };
  return readEdit({ ...use, input }, use.path);
}
