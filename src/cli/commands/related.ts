// c-mem related: the sessions that belong with one, and why.
import { answerRelated, type Topic, topicsWith } from "../../queries/related.ts";
import type { RelatedSession } from "../../recall/history/related.ts";
import { type ShortId, shortIds } from "../../store/reads/short-ids.ts";
import { columns, fit } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer } from "../output.ts";
import { count } from "../../core/text.ts";
import { dim, heading } from "../../platform/terminal/style.ts";
import { ask } from "../question.ts";
import { titleText, when } from "../../queries/session-text.ts";
import { paint } from "../../platform/terminal/style.ts";

export function run({ args, flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    const answer = answerRelated(asked, args[0] ?? "");
    if (json) {
      printAnswer("related", answer);
      return EXIT.ok;
    }
    const { session, results, topics } = answer;
    const shortId = shortIds(
      asked.db,
      [session, ...results.map((result) => result.session)].map((one) => one.session_id),
    );
    const id = shortId(session.session_id);
    print(`${heading(fit(titleText(session), columns() - 4 - id.length))}  ${dim(id)}\n`);
    if (topics.length > 0) print(`${dim("shared topics")}  ${fit(topics.map(topicText).join(", "), columns() - 16)}\n`);
    print(results.map((result) => resultText(result, topics, shortId)).join("\n"));
    return EXIT.ok;
  });
}

function topicText({ topic, sessionIds }: Topic): string {
  return `${topic} (${count(sessionIds.length, "session")})`;
}

function resultText({ session, reasons }: RelatedSession, topics: readonly Topic[], shortId: ShortId): string {
  const shared = topicsWith(topics, session.session_id);
  const id = shortId(session.session_id);
  const line = `${paint("yellow", id)}  ${when(session.last_at)}  ${fit(titleText(session), columns() - 20 - id.length)}`;
  const notes = [...reasons, ...(shared.length > 0 ? [`same topics: ${shared.join(", ")}`] : [])];
  return [line, ...notes.map((reason) => `          ${dim(fit(reason, columns() - 10))}`)].join("\n");
}
