// c-mem resume: the agent's own command to go on with a session, printed or run.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { questionOf } from "../../queries/legacy.ts";
import { sessionJson } from "../../queries/session-json.ts";
import { AppError } from "../../core/error.ts";
import { resolveSession } from "../../recall/search/find-session.ts";
import { type ResumeCommand, resumeCommand, resumeLine } from "../../recall/history/resume.ts";
import { columns, fit } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printJson, say } from "../output.ts";
import { ask } from "../question.ts";
import { titleText, when } from "../../queries/session-text.ts";

export function run({ args, flags, json }: CommandOptions): number {
  const exec = flags["exec"] === true;
  if (exec && json) throw new AppError("usage", "--exec hands the terminal over to the agent: it goes without --json.");
  const session = ask(flags, (asked) => {
    const scope = () => questionOf(asked, 1).scope;
    return resolveSession(asked.db, args.join(" "), scope, { words: true }).session;
  });
  const command = resumeCommand(session);
  const line = resumeLine(command, process.cwd());
  if (exec) return runIn(command);
  if (json) printJson("resume", { ...sessionJson(session), command: line, argv: [command.program, ...command.args] });
  else {
    say(fit(`${titleText(session)} (${session.agent}, ${when(session.last_at)})`, columns()));
    print(line);
  }
  return EXIT.ok;
}

function runIn({ program, args, cwd }: ResumeCommand): number {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new AppError("folder_gone", `The session's folder is gone: ${cwd}`, {
      hint: "The agent finds a session only from its folder. `c-mem show` still has what was said.",
    });
  }
  // On Windows agents are scripts, which only a shell starts: it must not find words of its own in a session's id.
  const shell = process.platform === "win32";
  if (shell && !args.every((arg) => /^[\w@=:,./-]+$/.test(arg))) {
    throw new AppError("odd_session", "The session's id has signs in it that a shell would take for its own.");
  }
  const { status, error } = spawnSync(program, args, { cwd, stdio: "inherit", shell });
  if (error !== undefined) {
    throw new AppError("agent_missing", `${program} could not be started: ${error.message}`, {
      hint: `Is ${program} installed and on the PATH?`,
      cause: error,
    });
  }
  return status ?? EXIT.interrupted;
}
