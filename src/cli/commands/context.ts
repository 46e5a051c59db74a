// c-mem context: the block an agent gets at session start, for a person to read.
import { answerContext } from "../../answers/context.ts";
import { withCommas } from "../../core/text.ts";
import { estimateTokens } from "../../core/tokens.ts";
import type { CommandOptions } from "../table.ts";
import { dim, EXIT, print, printAnswer } from "../output.ts";
import { ask, sayWhichProject } from "../question.ts";

export function run({ args, flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    sayWhichProject(asked.db, args[0]);
    const answer = answerContext(asked, args[0]);
    if (json) {
      printAnswer("context", answer);
      return EXIT.ok;
    }
    const { text, tokens, stale } = answer.block;
    print(text);
    const note = stale > 0 ? `; ${stale} left out: their files are gone` : "";
    print(dim(`\n${withCommas(text.length)} characters, about ${withCommas(tokens)} tokens${note}`));
    if (flags["preview"] === true) print(dim(partsOf(text)));
    return EXIT.ok;
  });
}

/** What each section takes, as the block itself is counted. */
function partsOf(text: string): string {
  const parts = text.split(/^(?=## )/m);
  const rows = parts.map((part, index) => {
    const name = index === 0 ? "Introduction" : (/^## ([^(\n]+)/.exec(part)?.[1] ?? "").trim();
    return [withCommas(estimateTokens(part)), name] as const;
  });
  const width = Math.max(...rows.map(([tokens]) => tokens.length));
  return rows.map(([tokens, name]) => `  ${tokens.padStart(width)}  ${name}`).join("\n");
}
