// c-mem resume: prints the agent's command that continues a session, or runs it.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { AppError } from "../../core/error.ts";
import { fields, type InputOf } from "../../queries/fields.ts";
import { resume } from "../../queries/resume.ts";
import { commandOf, defineCommand, withQueryContext, runQuery } from "../command.ts";
import { EXIT } from "../output.ts";

const FIELDS = fields({ exec: { kind: "flag", about: "run the command" }, ...resume.fields });

export const command = defineCommand({
  ...commandOf(resume),
  fields: FIELDS,
  async run(input: InputOf<typeof FIELDS>, invocation) {
    if (!input.exec) return runQuery(resume, input, invocation);
    if (invocation.json) throw new AppError("usage", "--exec runs the agent in this terminal and takes no --json.");
    const { data } = await withQueryContext(input, (context) => resume.run(input, context));
    return runAgent(data.argv, data.cwd);
  },
});

function runAgent([program = "", ...args]: readonly string[], cwd: string): number {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new AppError("folder_gone", `The session's folder no longer exists: ${cwd}`, {
      hint: "The agent finds a session only from its folder. `c-mem show` still prints the transcript.",
    });
  }
  // On Windows, agents are scripts and need a shell, which must not interpret the session's id.
  const shell = process.platform === "win32";
  if (shell && !args.every((arg) => /^[\w@=:,./-]+$/.test(arg)))
    throw new AppError("odd_session", "The session's id contains characters that the shell would interpret.");
  const { status, error } = spawnSync(program, args, { cwd, stdio: "inherit", shell });
  if (error !== undefined) {
    throw new AppError("agent_missing", `${program} could not be started: ${error.message}`, {
      hint: `Is ${program} installed and on the PATH?`,
      cause: error,
    });
  }
  return status ?? EXIT.interrupted;
}
