// c-mem effort: one undertaking from its first session to its last, what was decided and what is left.
import { AppError } from "../../core/error.ts";
import { oneLine } from "../../core/text.ts";
import { MAX_LINKS_MS, updateLinks } from "../../memory/link/update-links.ts";
import { type Effort, findEffort, isEffortId } from "../../recall/efforts.ts";
import { resolveSession } from "../../recall/find-session.ts";
import { effortJson, effortText } from "../effort-text.ts";
import { EXIT, print, printJson } from "../output.ts";
import { type Asked, ask } from "../question.ts";
import { shortId } from "../session-text.ts";
import { tellEfforts } from "../tell-efforts.ts";
import type { CommandOptions } from "../table.ts";

export function run({ args, flags, json }: CommandOptions): number {
  return ask(flags, 1, (asked) => {
    updateLinks(asked.db, { maxMs: MAX_LINKS_MS });
    const stories = tellEfforts(asked.db, [choose(asked, (args[0] ?? "").trim())]);
    for (const story of stories) {
      if (json) printJson("effort", effortJson(story));
      else print(effortText(story));
    }
    return EXIT.ok;
  });
}

function choose({ db, question }: Asked, name: string): Effort {
  const hint =
    "`c-mem efforts --all` shows every effort, `c-mem related <session>` what else a session has to do with.";
  if (isEffortId(name)) {
    const effort = findEffort(db, { id: name });
    if (effort !== undefined) return effort;
    throw new AppError("nothing_found", `There is no effort "${oneLine(name, 80)}".`, { hint });
  }
  const { session } = resolveSession(db, name, () => question().scope);
  const effort = findEffort(db, { sessionDbId: session.parent_session_db_id ?? session.id });
  if (effort !== undefined) return effort;
  throw new AppError("nothing_found", `${shortId(session.session_id)} stands alone: no session goes on with it.`, {
    hint,
  });
}
