// c-mem completions: prints the completion script of a shell.
import { STDOUT } from "../../platform/terminal/style.ts";
import { SCRIPTS, SHELLS } from "../completions/scripts.ts";
import { defineCommand } from "../command.ts";
import { EXIT, printJson, writeDocument } from "../output.ts";

export const command = defineCommand({
  about: "print the completion script for bash, zsh or fish",
  fields: { shell: { kind: "text", position: "<shell>", choices: SHELLS, required: true, about: "one of them" } },
  run({ shell }, { json }) {
    if (json) printJson("completions", { shell, script: SCRIPTS[shell] });
    else writeDocument(STDOUT, SCRIPTS[shell]);
    return EXIT.ok;
  },
});
