// remember: saves an observation for later sessions, filtered for secrets and private text like everything else.
import { findCaptureContext } from "../capture/capture-context.ts";
import { isDisabled } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { OBSERVATION_TYPES } from "../core/memory.ts";
import { fields, type InputOf } from "../queries/fields.ts";
import { saveObservation } from "../queries/user-edits.ts";
import { ALL, type Answer, type Call, defineTool, PROJECT } from "./tool.ts";
import { safeLine } from "./text.ts";

const FIELDS = fields({
  text: { kind: "text", required: true, about: "" },
  title: { kind: "text", about: "one line" },
  type: { kind: "text", choices: OBSERVATION_TYPES, about: "" },
  file: { kind: "text", about: "the path it is about" },
  ...PROJECT,
});

export const remember = defineTool({
  name: "remember",
  description:
    "Write something down for later sessions: what the user wants remembered, a decision and why. One thing, in full sentences.",
  fields: FIELDS,
  annotations: { destructiveHint: false },
  isWriting: true,
  run: rememberText,
});

function rememberText({ text, title, type, file, project }: InputOf<typeof FIELDS>, call: Call): Answer {
  // Naming a project allows writing to it from a folder where C-Mem is off.
  const off = isDisabled(call.env)
    ? "C_MEM_DISABLE is set"
    : project === undefined
      ? findCaptureContext(call.cwd, call.paths.config, call.env).offReason
      : undefined;
  if (off !== undefined)
    throw new AppError("excluded", `C-Mem is switched off in this folder and saves nothing here: ${off}.`, {
      hint: "The user decides that (`c-mem config`); do not work around it.",
    });
  const draft = {
    text,
    type,
    ...(title !== undefined && { title: safeLine(title, 200) }),
    files: file === undefined ? [] : [file],
    project: project === ALL ? undefined : project,
    all: project === ALL,
  };
  // The assistant wrote the text, even if the user asked for it.
  const { data } = saveObservation(draft, call, "assistant");
  const where = safeLine(data.project ?? "every project", 80);
  return {
    text: [
      `${data.is_new ? "Saved" : "Already known"} for ${where} as ${data.id}: ${safeLine(data.title, 160)}`,
      ...data.alike.map((one) => `${one.id} is nearly the same: ${safeLine(one.title, 120)}`),
    ].join("\n"),
  };
}
