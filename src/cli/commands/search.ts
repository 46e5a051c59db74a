// c-mem search: finds past sessions by what was asked, answered and done in them.
import { answerSearch, openCommand } from "../../queries/search.ts";
import { ago } from "../../core/text.ts";
import { localDay } from "../../core/time.ts";
import type { Finding } from "../../recall/search/find-sessions.ts";
import type { Snippet } from "../../recall/search/snippet.ts";
import { type ShortId, shortIds } from "../../store/reads/short-ids.ts";
import { columns, fit } from "../../platform/terminal/layout.ts";
import { askAsync } from "../question.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer, say } from "../output.ts";
import { dim, heading, paint } from "../../platform/terminal/style.ts";

export function run({ args, flags, json }: CommandOptions): Promise<number> {
  return askAsync(flags, async (asked) => {
    const answer = await answerSearch(asked, args.join(" "));
    const { findings, rung, words, since, state } = answer;
    if (json) {
      printAnswer("search", answer);
      return EXIT.ok;
    }
    if (rung === "typo") say(`Nothing fits the words as they are; these fit ${words.join(", ")}.`);
    if (since > 0) say(`Such common words were looked for only since ${localDay(since)}.`);
    // That there is no model is told by `status`, not at every search.
    if (state.isBroken) say(`Searched by ${state.degraded}. ${state.hint ?? ""}`.trim());
    const shortId = shortIds(
      asked.db,
      findings.map((finding) => finding.session.session_id),
    );
    for (const finding of findings) print(findingText(finding, shortId));
    return EXIT.ok;
  });
}

function findingText({ session, promptNumber, at, kind, snippet }: Finding, shortId: ShortId): string {
  const where = `${session.project}, ${session.agent}, ${ago(at, Date.now())}`;
  const open = openCommand(shortId(session.session_id), promptNumber, kind);
  const title = fit(session.title ?? "(untitled)", Math.min(90, Math.max(30, columns() - where.length - 2)));
  return `${heading(title)}  ${dim(where)}\n  ${dim(`${kind}:`)} ${highlight(snippet)}\n  ${dim(open)}\n`;
}

function highlight({ text, marks }: Snippet): string {
  let out = "";
  let from = 0;
  for (const [start, end] of marks) {
    out += text.slice(from, start) + paint("yellow", text.slice(start, end));
    from = end;
  }
  return out + text.slice(from);
}
