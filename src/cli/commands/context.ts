// c-mem context: the query's command; --format json is another spelling of --json.
import { context } from "../../queries/context.ts";
import { commandOf, defineCommand } from "../command.ts";

const queryCommand = commandOf(context);

export const command = defineCommand({
  ...queryCommand,
  run: (input: { format?: unknown }, { json }) =>
    queryCommand.run(input as never, { json: json || input.format === "json" }),
});
