// c-mem completions: prints what makes the tab key work in a shell.
import { AppError } from "../../core/error.ts";
import { SCRIPTS, SHELLS } from "../completions/scripts.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, printJson, writeDocument } from "../output.ts";
import { STDOUT } from "../../platform/terminal/style.ts";

export function run({ args, json }: CommandOptions): number {
  const shell = SHELLS.find((one) => one === args[0]);
  if (shell === undefined) {
    throw new AppError("usage", `There are no completions for "${args[0] ?? ""}".`, {
      hint: `c-mem completions <${SHELLS.join("|")}>`,
    });
  }
  if (json) printJson("completions", { shell, script: SCRIPTS[shell] });
  else writeDocument(STDOUT, SCRIPTS[shell]);
  return EXIT.ok;
}
