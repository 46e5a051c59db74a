// c-mem context: --format json is another spelling of --json.
import { context } from "../../queries/context.ts";
import { commandOf, defineCommand, runQuery } from "../command.ts";

export const command = defineCommand({
  ...commandOf(context),
  run: (input: { format?: unknown }, invocation) =>
    runQuery(context, input, { ...invocation, json: invocation.json || input.format === "json" }),
});
