// c-mem timeline: what happened before and after a session or an item, across sessions.
import { AppError } from "../../core/error.ts";
import { titleOf } from "../../core/title.ts";
import { resolveSession } from "../../recall/find-session.ts";
import { errorLine } from "../../core/error-text.ts";
import { commandForm } from "../../core/shell-command.ts";
import { latestTurns, timelineAround, type TimelineTurn } from "../../recall/timeline.ts";
import { MAX_LINKS_MS, updateLinks } from "../../memory/link/update-links.ts";
import { columns, fit } from "../layout.ts";
import type { CommandOptions } from "../table.ts";
import { dim, EXIT, iso, print, printJson } from "../output.ts";
import { type Asked, ask } from "../question.ts";
import { positiveInteger, readRange } from "../scope.ts";
import { changeText, listText, paint, shortId, when } from "../session-text.ts";

const DEFAULT_DEPTH = 5;
const FILES_SHOWN = 4;
const FAILED_SHOWN = 3;

export function run({ args, flags, json }: CommandOptions): number {
  return ask(flags, 1, (asked) => {
    updateLinks(asked.db, { maxMs: MAX_LINKS_MS });
    const depth = flags["depth"] === undefined ? DEFAULT_DEPTH : positiveInteger("--depth", flags["depth"]);
    const turns = choose(asked, args.join(" "), flags, depth);
    if (turns.length === 0) {
      throw new AppError("nothing_found", "Nothing happened here yet.", {
        hint: "Use --all for every project, or `c-mem sync` to bring in earlier sessions.",
      });
    }
    if (json) printJson("timeline", { results: turns.map(turnJson) }, { depth });
    else print(turns.map(turnText).join("\n"));
    return EXIT.ok;
  });
}

function choose({ db, question }: Asked, name: string, flags: Record<string, unknown>, depth: number): TimelineTurn[] {
  if (name.trim() === "") return latestTurns(db, question().scope, depth);
  const anchor = resolveSession(db, name, () => question().scope, { words: true });
  // Unless told otherwise, the neighbours are those of the anchor's own project, wherever one stands.
  const isTold = flags["all"] === true || flags["project"] !== undefined;
  const scope = isTold ? question().scope : { projectId: anchor.session.project_id, ...readRange(flags) };
  return timelineAround(db, anchor, scope, { before: depth, after: depth });
}

function turnText(turn: TimelineTurn, index: number, turns: readonly TimelineTurn[]): string {
  const before = turns[index - 1];
  const mark = turn.isAnchor ? paint(["bold", "green"], "▶") : dim("│");
  const width = columns() - 4;
  const lines: string[] = [];
  if (before?.session_id !== turn.session_id) {
    const title = turn.title ?? "(untitled)";
    if (before !== undefined) lines.push(dim("│"));
    lines.push(
      `${dim("┌")} ${paint("yellow", shortId(turn.session_id))}  ${dim(fit(`${turn.project}: ${title}`, width - 12))}`,
    );
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

function turnJson(turn: TimelineTurn): Record<string, unknown> {
  return {
    id: `p${turn.id}`,
    session_id: turn.session_id,
    agent: turn.agent,
    project: turn.project,
    title: turn.title,
    turn: turn.prompt_number,
    prompt: turn.text,
    at: iso(turn.created_at),
    ended_at: iso(turn.ended_at),
    is_anchor: turn.isAnchor,
    continues: turn.continues,
    files: turn.files.map(({ path, created, added, removed }) => ({ path, created: created === 1, added, removed })),
    commits: turn.commits.map(({ sha, subject }) => ({ sha, subject })),
    failed: turn.failed.map(({ id, command, exit_code, output }) => ({
      id: `t${id}`,
      command,
      exit_code,
      error: errorLine(output ?? ""),
    })),
  };
}
