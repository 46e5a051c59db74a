// The agent's own command that continues a session.
import { columns, fit } from "../platform/terminal/layout.ts";
import { resumeCommand, resumeLine } from "../recall/history/resume.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import { defineQuery } from "./query.ts";
import { readScope, SCOPE, SESSION_OR_WORDS } from "./scope.ts";
import { sessionJson, sessionSchema } from "./session-json.ts";
import { titleText, when } from "./session-text.ts";

export const resume = defineQuery({
  name: "resume",
  about: "print the agent's command that continues a session",
  fields: { ...SESSION_OR_WORDS, ...SCOPE },
  http: { path: "/api/resume/:id", tag: "sessions", errors: ["unsupported"] },
  reply: (z) => ({
    data: sessionSchema(z).extend({
      command: z
        .string()
        .meta({ description: "the shell command line; starts with `cd` if the session has another folder" }),
      argv: z.array(z.string()).meta({ description: "program and arguments, to run in the session's folder" }),
    }),
  }),
  run({ id, ...input }, context) {
    const isCli = context.cwd !== undefined;
    const { session } = resolveSession(context.db, id, () => readScope(input, context).scope, { words: isCli });
    const command = resumeCommand(session);
    const argv = [command.program, ...command.args];
    return { data: { ...sessionJson(session), command: resumeLine(command, context.cwd ?? ""), argv } };
  },
  text({ data }, { header }) {
    header(fit(`${titleText(data)} (${data.agent}, ${when(data.last_at)})`, columns()));
    return data.command;
  },
});
