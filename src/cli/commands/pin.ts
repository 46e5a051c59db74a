// c-mem pin, c-mem unpin: what is pinned comes first, and no rebuild takes it away.
import { answerPin } from "../../queries/user-edits.ts";
import { fit } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer } from "../output.ts";
import { ask } from "../question.ts";

export function run(options: CommandOptions): number {
  return change(options, true);
}

export function runUnpin(options: CommandOptions): number {
  return change(options, false);
}

function change({ args, flags, json }: CommandOptions, isPinned: boolean): number {
  return ask(flags, (asked) => {
    const answer = answerPin(asked, args, isPinned);
    if (json) printAnswer(isPinned ? "pin" : "unpin", answer);
    else
      for (const row of answer.rows)
        print(`${isPinned ? "Pinned" : "No longer pinned"}: o${row.id} ${fit(row.title, 100)}`);
    return EXIT.ok;
  });
}
