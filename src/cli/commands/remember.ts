// c-mem remember: writes something down, for this project or for all.
import { answerRemember } from "../../queries/user-edits.ts";
import { fit } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer, say } from "../output.ts";
import { ask } from "../question.ts";
import { textOf } from "../stdin.ts";

export function run({ args, flags, json }: CommandOptions): number {
  const text = textOf(args);
  return ask(flags, (asked) => {
    const answer = answerRemember(asked, text);
    if (json) {
      printAnswer("remember", answer);
      return EXIT.ok;
    }
    const { id, isNew, alike, row } = answer;
    const where = row.project ?? "every project";
    print(`${isNew ? "Remembered" : "Already known"} for ${where} as o${id}: ${fit(row.title, 100)}`);
    for (const one of alike) {
      say(`o${one.id} says nearly the same: ${fit(one.title, 80)}`);
      say(`  c-mem supersede o${one.id} o${id}   if this takes its place`);
    }
    return EXIT.ok;
  });
}
