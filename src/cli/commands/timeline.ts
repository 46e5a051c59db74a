// c-mem timeline: what happened before and after a session or an item, across sessions.
import { answerTimeline } from "../../queries/timeline.ts";
import { errorLine } from "../../core/error-text.ts";
import { commandForm } from "../../core/shell-command.ts";
import { titleOf } from "../../core/title.ts";
import type { TimelineTurn } from "../../recall/history/timeline.ts";
import { type ShortId, shortIds } from "../../store/reads/short-ids.ts";
import { columns, fit } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer } from "../output.ts";
import { dim } from "../../platform/terminal/style.ts";
import { ask } from "../question.ts";
import { changeText, listText, when } from "../../queries/session-text.ts";
import { paint } from "../../platform/terminal/style.ts";

const FILES_SHOWN = 4;
const FAILED_SHOWN = 3;

export function run({ args, flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    const answer = answerTimeline(asked, args.join(" "));
    if (json) printAnswer("timeline", answer);
    else {
      const ids = answer.turns.flatMap((turn) => [turn.session_id, turn.continues[0]?.session_id]);
      const shortId = shortIds(asked.db, ids);
      print(answer.turns.map((turn, index) => turnText(turn, answer.turns[index - 1], shortId)).join("\n"));
    }
    return EXIT.ok;
  });
}

function turnText(turn: TimelineTurn, before: TimelineTurn | undefined, shortId: ShortId): string {
  const mark = turn.isAnchor ? paint(["bold", "green"], "▶") : dim("│");
  const width = columns() - 4;
  const lines: string[] = [];
  if (before?.session_id !== turn.session_id) {
    const title = turn.title ?? "(untitled)";
    const id = shortId(turn.session_id);
    if (before !== undefined) lines.push(dim("│"));
    lines.push(`${dim("┌")} ${paint("yellow", id)}  ${dim(fit(`${turn.project}: ${title}`, width - 4 - id.length))}`);
    const [first] = turn.continues;
    if (first !== undefined) lines.push(dim(`│ continues ${shortId(first.session_id)}`));
  }
  lines.push(
    `${mark} ${dim(when(turn.created_at))}  ${paint("bold", fit(titleOf(turn.text), width - 26))}  ${dim(`p${turn.id}`)}`,
  );
  const detail = (text: string): void => void lines.push(`${dim("│")}   ${text}`);
  if (turn.files.length > 0) {
    detail(
      fit(
        `changed ${listText(
          turn.files.map((file) => `${file.path}${changeText(file)}`),
          FILES_SHOWN,
        )}`,
        width,
      ),
    );
  }
  for (const failed of turn.failed.slice(0, FAILED_SHOWN)) {
    const command = fit(commandForm(failed.command), Math.floor(width * 0.45));
    const text = fit(`${command} → exit ${failed.exit_code}: ${errorLine(failed.output ?? "")}`, width - 10);
    detail(`${paint("red", "failed")}  ${text}`);
  }
  if (turn.failed.length > FAILED_SHOWN) detail(dim(`and ${turn.failed.length - FAILED_SHOWN} more failed commands`));
  for (const commit of turn.commits) {
    detail(
      `${paint("magenta", "commit")}  ${paint("yellow", commit.sha.slice(0, 9))} ${fit(commit.subject, width - 20)}`,
    );
  }
  return lines.join("\n");
}
