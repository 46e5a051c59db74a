// Builds the agent's command that resumes a session.
import { AGENTS } from "../../agents/spec.ts";
import { AppError } from "../../core/error.ts";
import type { SessionEntry } from "../../store/reads/session-list.ts";

export type ResumeCommand = ReturnType<typeof resumeCommand>;

export function canResume({ agent, session_id: id }: SessionEntry): boolean {
  return !id.startsWith("-") && AGENTS.some((known) => known.id === agent);
}

export function resumeCommand(session: SessionEntry) {
  const agent = AGENTS.find(({ id }) => id === session.agent);
  if (agent === undefined) {
    throw new AppError("unsupported", `C-Mem cannot resume sessions of ${session.agent}.`, {
      hint: `\`c-mem show ${session.session_id}\` shows it.`,
    });
  }
  // A subagent cannot be resumed: resume its parent session.
  const id = session.parent_session_id ?? session.session_id;
  if (id.startsWith("-"))
    throw new AppError("unsupported", `The session id "${id}" begins with "-" and would be read as an option.`);
  const [program = "", ...args] = agent.resume(id);
  // Agents find a session only in its folder.
  return { program, args, cwd: session.cwd };
}

/** The command line to paste into a shell. Changes the folder if needed. */
export function resumeLine(command: ResumeCommand, from: string): string {
  const line = [command.program, ...command.args].map(quote).join(" ");
  return command.cwd === from ? line : `cd ${quote(command.cwd)} && ${line}`;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
