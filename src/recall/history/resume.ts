// The agent's own command that goes on with a session.
import { AGENTS } from "../../agents/spec.ts";
import { AppError } from "../../core/error.ts";
import type { SessionEntry } from "../../store/reads/session-list.ts";

export interface ResumeCommand {
  program: string;
  args: string[];
  /** The folder the session happened in: agents look their sessions up by it. */
  cwd: string;
}

export function canResume({ agent, session_id: id }: SessionEntry): boolean {
  return !id.startsWith("-") && AGENTS.some((known) => known.id === agent);
}

export function resumeCommand(session: SessionEntry): ResumeCommand {
  const agent = AGENTS.find(({ id }) => id === session.agent);
  if (agent === undefined) {
    throw new AppError("unsupported", `It is not known how ${session.agent} resumes a session.`, {
      hint: `\`c-mem show ${session.session_id}\` shows it.`,
    });
  }
  // A subagent has no conversation of its own to go on with.
  const id = session.parent_session_id ?? session.session_id;
  if (id.startsWith("-"))
    throw new AppError("unsupported", `"${id}" is no session id that can be handed to a program.`);
  const [program = "", ...args] = agent.resume(id);
  return { program, args, cwd: session.cwd };
}

/** To paste into a shell; it changes the folder where that is another one. */
export function resumeLine(command: ResumeCommand, from: string): string {
  const line = [command.program, ...command.args].map(quote).join(" ");
  return command.cwd === from ? line : `cd ${quote(command.cwd)} && ${line}`;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
