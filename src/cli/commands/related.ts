// c-mem related: the sessions that belong with one, and why.
import { AppError } from "../../core/error.ts";
import { MAX_LINKS_MS, updateLinks } from "../../memory/link/update-links.ts";
import { resolveSession } from "../../recall/find-session.ts";
import { relatedSessions, type RelatedSession } from "../../recall/related.ts";
import type { Db } from "../../store/driver.ts";
import { type SessionEntry, sessionsByIds } from "../../store/session-list.ts";
import { columns, fit } from "../layout.ts";
import type { CommandOptions } from "../table.ts";
import { dim, EXIT, heading, print, printJson } from "../output.ts";
import { ask } from "../question.ts";
import { positiveInteger } from "../scope.ts";
import { paint, sessionJson, shortId, titleText, when } from "../session-text.ts";

const DEFAULT_LIMIT = 8;

export function run({ args, flags, json }: CommandOptions): number {
  return ask(flags, DEFAULT_LIMIT, ({ db, question }) => {
    updateLinks(db, { maxMs: MAX_LINKS_MS });
    const limit = flags["limit"] === undefined ? DEFAULT_LIMIT : positiveInteger("--limit", flags["limit"]);
    const session = conversationOf(db, resolveSession(db, args[0] ?? "", () => question().scope).session);
    const results = relatedSessions(db, session, limit);
    if (results.length === 0) {
      throw new AppError(
        "nothing_found",
        `Nothing is related to ${shortId(session.session_id)}: no shared files, commits, links or branch.`,
        {
          hint: "`c-mem timeline` shows what came before and after it.",
        },
      );
    }
    if (json) {
      printJson("related", {
        session_id: session.session_id,
        results: results.map((result) => ({
          ...sessionJson(result.session),
          weight: result.weight,
          reasons: result.reasons,
        })),
      });
      return EXIT.ok;
    }
    print(`${heading(fit(titleText(session), columns() - 12))}  ${dim(shortId(session.session_id))}\n`);
    print(results.map(resultText).join("\n"));
    return EXIT.ok;
  });
}

/** A subagent's relations are those of the conversation it worked for. */
function conversationOf(db: Db, session: SessionEntry): SessionEntry {
  if (session.parent_session_db_id === null) return session;
  return sessionsByIds(db, [session.parent_session_db_id])[0] ?? session;
}

function resultText({ session, reasons }: RelatedSession): string {
  const line = `${paint("yellow", shortId(session.session_id))}  ${when(session.last_at)}  ${fit(titleText(session), columns() - 28)}`;
  return [line, ...reasons.map((reason) => `          ${dim(fit(reason, columns() - 10))}`)].join("\n");
}
