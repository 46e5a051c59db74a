// A hook command typed at a terminal: explains itself instead of waiting for input.
import { AppError } from "../../core/error.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  about: "run by agent hooks, with JSON on stdin",
  fields: { agent: { kind: "text", about: "the agent that runs it" } },
  run() {
    throw new AppError("usage", "Agent hooks run this command, with JSON on stdin.", {
      hint: "`c-mem install` sets the hooks up; `c-mem context` shows what an agent gets. To try it: echo '{…}' | c-mem save",
    });
  },
});
