// c-mem effort: one undertaking from its first session to its last, what was decided and what is left.
import { answerEffort } from "../../queries/efforts.ts";
import { shortIds } from "../../store/reads/short-ids.ts";
import { effortText } from "../effort-text.ts";
import { EXIT, print, printAnswer } from "../output.ts";
import { ask } from "../question.ts";
import type { CommandOptions } from "../legacy-commands.ts";

export function run({ args, flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    const answer = answerEffort(asked, args[0] ?? "");
    if (json) printAnswer("effort", answer);
    else {
      const ids = answer.story.sessions.map(({ session }) => session.session_id);
      print(effortText(answer.story, shortIds(asked.db, ids)));
    }
    return EXIT.ok;
  });
}
