// c-mem list: the sessions here, newest first.
import { answerSessions } from "../../answers/sessions.ts";
import type { SessionEntry } from "../../store/session-list.ts";
import { columns, fit, pad, padLeft } from "../layout.ts";
import type { CommandOptions } from "../table.ts";
import { dim, EXIT, print, printAnswer } from "../output.ts";
import { ask } from "../question.ts";
import { paint, shortId, titleText, when } from "../session-text.ts";

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
    print(table(answer.rows, answer.isOfAllProjects));
    if (answer.hasMore) print(dim(`\nThere are more: -n ${answer.limit * 2} shows them.`));
    return EXIT.ok;
  });
}

function table(rows: readonly SessionEntry[], withProject: boolean): string {
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
