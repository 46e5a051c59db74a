// c-mem list: the sessions here, newest first.
import { answerSessions, type SessionsAnswer } from "../../queries/sessions.ts";
import type { SessionEntry } from "../../store/reads/session-list.ts";
import { type ShortId, shortIds } from "../../store/reads/short-ids.ts";
import { withCommas } from "../../core/text.ts";
import { columns, fit, pad, padLeft } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer, say } from "../output.ts";
import { count } from "../../core/text.ts";
import { dim } from "../../platform/terminal/style.ts";
import { ask } from "../question.ts";
import { titleText, when } from "../../queries/session-text.ts";
import { paint } from "../../platform/terminal/style.ts";

/** Two columns of numbers and the space around them. */
const NUMBER_COLUMNS = 16;
/** Less of a title says nothing: rather no numbers. */
const MIN_TITLE = 20;

export function run({ flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    const answer = answerSessions(asked);
    if (json) {
      printAnswer("list", answer);
      return EXIT.ok;
    }
    const shortId = shortIds(
      asked.db,
      answer.rows.map((row) => row.session_id),
    );
    print(table(answer.rows, answer.isOfAllProjects, shortId));
    // The rows already say how many there are, unless some are left out.
    if (answer.rows.length < answer.total || answer.subagents > 0) say(dim(`\n${footer(answer)}`));
    return EXIT.ok;
  });
}

/** "20 of 27 sessions (-n 40 shows more), 12 subagents inside them" */
function footer({ rows, total, subagents, hasMore, limit }: SessionsAnswer): string {
  const shown =
    rows.length < total ? `${withCommas(rows.length)} of ${count(total, "session")}` : count(total, "session");
  const more = hasMore ? ` (-n ${limit * 2} shows more)` : "";
  return `${shown}${more}${subagents > 0 ? `, ${count(subagents, "subagent")} inside them` : ""}`;
}

function table(rows: readonly SessionEntry[], withProject: boolean, shortId: ShortId): string {
  const severalAgents = new Set(rows.map((row) => row.agent)).size > 1 || rows[0]?.agent !== "claude-code";
  const agentWidth = Math.max(...rows.map((row) => row.agent.length));
  const projects = rows.map((row) => fit(row.project, columns() < 100 ? 14 : 20));
  const projectWidth = Math.max("project".length, ...projects.map((name) => name.length));
  const idWidth = Math.max("session".length, ...rows.map((row) => shortId(row.session_id).length));
  const used = idWidth + 2 + 16 + 2 + (severalAgents ? agentWidth + 2 : 0) + (withProject ? projectWidth + 2 : 0);
  const hasNumbers = columns() - used - NUMBER_COLUMNS >= MIN_TITLE;
  const width = Math.max(10, columns() - used - (hasNumbers ? NUMBER_COLUMNS : 0));
  const line = (left: readonly string[], title: string, prompts: string, files: string): string => {
    const numbers = hasNumbers ? `  ${dim(`${padLeft(prompts, 7)}  ${padLeft(files, 5)}`)}` : "";
    return `${left.join("  ")}  ${pad(fit(title, width), width)}${numbers}`.trimEnd();
  };
  const header = [
    dim("session".padEnd(idWidth)),
    dim("when".padEnd(16)),
    ...(severalAgents ? [dim("agent".padEnd(agentWidth))] : []),
    ...(withProject ? [dim("project".padEnd(projectWidth))] : []),
  ];
  const body = rows.map((row, index) => {
    const left = [
      paint("yellow", pad(shortId(row.session_id), idWidth)),
      when(row.last_at),
      ...(severalAgents ? [pad(row.agent, agentWidth)] : []),
      ...(withProject ? [paint("cyan", pad(projects[index] ?? "", projectWidth))] : []),
    ];
    return line(
      left,
      titleText(row),
      String(row.prompt_count),
      row.files_changed === 0 ? "" : String(row.files_changed),
    );
  });
  return [line(header, "title", "prompts", "files"), ...body].join("\n");
}
