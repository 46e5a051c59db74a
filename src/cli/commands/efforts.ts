// c-mem efforts: what is being worked on here, each over as many sessions as it took.
import { answerEfforts } from "../../queries/efforts.ts";
import { effortLine } from "../effort-text.ts";
import { EXIT, print, printAnswer } from "../output.ts";
import { dim } from "../../platform/terminal/style.ts";
import { ask } from "../question.ts";
import type { CommandOptions } from "../legacy-commands.ts";

export function run({ flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    const answer = answerEfforts(asked);
    if (json) {
      printAnswer("efforts", answer);
      return EXIT.ok;
    }
    const { stories, total, isOfAllProjects } = answer;
    print(stories.map((story) => effortLine(story, isOfAllProjects)).join("\n"));
    if (total > stories.length)
      print(dim(`\n${total} in all: -n ${total} shows them. \`c-mem effort <id>\` tells of one.`));
    return EXIT.ok;
  });
}
