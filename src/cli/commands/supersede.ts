// c-mem supersede: says that one observation takes the place of another, which stays, dated and marked.
import { observationId } from "../../queries/observation-flags.ts";
import { answerSupersede } from "../../queries/user-edits.ts";
import { AppError } from "../../core/error.ts";
import { fit } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer } from "../output.ts";
import { ask } from "../question.ts";

export function run({ args, flags, json }: CommandOptions): number {
  const older = observationId(args[0] ?? "");
  const isUndo = flags["undo"] === true;
  if (isUndo !== (args[1] === undefined)) {
    throw new AppError("usage", isUndo ? "--undo takes one observation." : `What takes the place of o${older}?`, {
      hint: "c-mem supersede <old> <new>, or c-mem supersede <old> --undo",
    });
  }
  return ask(flags, (asked) => {
    const answer = answerSupersede(asked, args[0] ?? "", args[1]);
    const { row } = answer;
    if (json) printAnswer("supersede", answer);
    else if (row.superseded_by === null) print(`o${older} holds again: ${fit(row.title, 100)}`);
    else print(`o${older} is replaced by o${row.superseded_by}: ${fit(row.successor_title ?? "", 100)}`);
    return EXIT.ok;
  });
}
