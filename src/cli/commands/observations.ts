// c-mem observations: what is known here, newest first, or what of it fits some words.
import { answerObservations } from "../../answers/observations.ts";
import type { CommandOptions } from "../table.ts";
import { observationTable } from "../observation-text.ts";
import { count, dim, EXIT, print, printAnswer, say } from "../output.ts";
import { ask } from "../question.ts";

export function run({ args, flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    const answer = answerObservations(asked, args.join(" ").trim());
    const { rows, rung, words, hasMore, limit, isOfAllProjects, left } = answer;
    if (left > 0)
      say(`${count(left, "session")} of earlier work are not looked at yet; \`c-mem rebuild\` does it now.`);
    if (json) {
      printAnswer("observations", answer);
      return EXIT.ok;
    }
    if (rung === "typo") say(`Nothing fits the words as they are; these fit ${words.join(", ")}.`);
    print(observationTable(rows, isOfAllProjects));
    if (hasMore) print(dim(`\nThere are more: -n ${limit * 2} shows them.`));
    return EXIT.ok;
  });
}
