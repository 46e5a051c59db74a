// c-mem edit: rewords an observation, by options or in the editor.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answerEdit, EDITED_FIELDS, editByFlags } from "../../queries/user-edits.ts";
import { AppError } from "../../core/error.ts";
import type { Observation } from "../../core/memory.ts";
import { fit } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { formText, readForm } from "../observation-form.ts";
import { EXIT, print, printAnswer, say } from "../output.ts";
import { ask } from "../question.ts";
import { readStdin } from "../stdin.ts";

export function run({ args, flags, json }: CommandOptions): number {
  const text = flags["text"] === "-" ? readStdin().trim() : flags["text"];
  return ask(flags, (asked) => {
    const answer = answerEdit(asked, args[0] ?? "", (before, id) =>
      EDITED_FIELDS.some((name) => flags[name] !== undefined)
        ? editByFlags(before, { ...flags, text })
        : inEditor(before, id),
    );
    const { row, isChanged } = answer;
    if (json) printAnswer("edit", answer);
    else if (isChanged) print(`Changed: o${row.id} ${fit(row.title, 100)}`);
    else say("Nothing was changed.");
    return EXIT.ok;
  });
}

function inEditor(before: Observation, id: number): Observation {
  const editor = process.env["VISUAL"] || process.env["EDITOR"];
  if (!process.stdin.isTTY || !process.stdout.isTTY || !editor) {
    throw new AppError("usage", "Say what to change.", {
      hint: "--title, --text, --type, --subtitle, --concept, --file; or, on a terminal, set EDITOR.",
    });
  }
  const folder = mkdtempSync(join(tmpdir(), "c-mem-edit-"));
  try {
    const path = join(folder, `o${id}.txt`);
    writeFileSync(path, formText(before), { mode: 0o600 });
    // EDITOR may be a command with options ("code --wait"): the shell takes it apart, as for git.
    const variable = process.platform === "win32" ? "%C_MEM_EDITED%" : "$C_MEM_EDITED";
    const { status } = spawnSync(`${editor} "${variable}"`, {
      shell: true,
      stdio: "inherit",
      env: { ...process.env, C_MEM_EDITED: path },
    });
    if (status !== 0)
      throw new AppError("editor_failed", `The editor (${editor}) ended with an error; nothing was changed.`);
    return readForm(readFileSync(path, "utf8"), before);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
