// c-mem observations: what is known here, newest first, or what of it fits some words.
import { answerObservations } from "../../queries/observations.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { observationTable } from "../observation-text.ts";
import { EXIT, print, printAnswer, say } from "../output.ts";
import { count } from "../../core/text.ts";
import { dim } from "../../platform/terminal/style.ts";
import { askAsync } from "../question.ts";

export function run({ args, flags, json }: CommandOptions): Promise<number> {
  return askAsync(flags, async (asked) => {
    const answer = await answerObservations(asked, args.join(" ").trim());
    const { rows, rung, words, hasMore, limit, isOfAllProjects, left, state } = answer;
    if (left > 0)
      say(`${count(left, "session")} of earlier work are not looked at yet; \`c-mem rebuild\` does it now.`);
    if (json) {
      printAnswer("observations", answer);
      return EXIT.ok;
    }
    if (rung === "typo") say(`Nothing fits the words as they are; these fit ${words.join(", ")}.`);
    if (rung === "meaning") say("Nothing fits the words as they are; these are near in meaning.");
    // That there is no model is told by `status`, not at every search.
    if (state?.isBroken === true) say(`Searched by ${state.degraded}. ${state.hint ?? ""}`.trim());
    print(observationTable(rows, isOfAllProjects));
    if (hasMore) print(dim(`\nThere are more: -n ${limit * 2} shows them.`));
    return EXIT.ok;
  });
}
