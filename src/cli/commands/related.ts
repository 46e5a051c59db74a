// c-mem related: the sessions that belong with one, and why.
import { answerRelated } from "../../answers/related.ts";
import type { RelatedSession } from "../../recall/related.ts";
import { columns, fit } from "../layout.ts";
import type { CommandOptions } from "../table.ts";
import { dim, EXIT, heading, print, printAnswer } from "../output.ts";
import { ask } from "../question.ts";
import { paint, shortId, titleText, when } from "../session-text.ts";

export function run({ args, flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    const answer = answerRelated(asked, args[0] ?? "");
    if (json) {
      printAnswer("related", answer);
      return EXIT.ok;
    }
    const { session, results } = answer;
    const id = shortId(session.session_id);
    print(`${heading(fit(titleText(session), columns() - 4 - id.length))}  ${dim(id)}\n`);
    print(results.map(resultText).join("\n"));
    return EXIT.ok;
  });
}

function resultText({ session, reasons }: RelatedSession): string {
  const id = shortId(session.session_id);
  const line = `${paint("yellow", id)}  ${when(session.last_at)}  ${fit(titleText(session), columns() - 20 - id.length)}`;
  return [line, ...reasons.map((reason) => `          ${dim(fit(reason, columns() - 10))}`)].join("\n");
}
