// c-mem projects: what there is memory of, the one worked on last first.
import { answerProjects } from "../../queries/projects.ts";
import { ago, oneLine } from "../../core/text.ts";
import type { CommandOptions } from "../table.ts";
import { count, dim, EXIT, print, printAnswer } from "../output.ts";
import { ask } from "../question.ts";

export function run({ flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    const answer = answerProjects(asked);
    if (json) {
      printAnswer("projects", answer);
      return EXIT.ok;
    }
    const width = Math.max(...answer.rows.map((row) => oneLine(row.name, 60).length));
    for (const row of answer.rows) {
      print(
        `${oneLine(row.name, 60).padEnd(width)}  ${count(row.sessions, "session")}, ${ago(row.last_at, Date.now())}  ${dim(oneLine(row.key, 200))}`,
      );
    }
    return EXIT.ok;
  });
}
