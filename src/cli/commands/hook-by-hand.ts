// A hook command typed at a terminal: says what it is for instead of waiting for input that will not come.
import { AppError } from "../../core/error.ts";

export function run(): never {
  throw new AppError("usage", "This command is run by the agent's hooks, with the hook's JSON on stdin.", {
    hint: "`c-mem install` sets the hooks up; `c-mem context` shows what an agent is told. To try it: echo '{…}' | c-mem save",
  });
}
